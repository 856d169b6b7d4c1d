//! Networks: their layers, their inputs, and what they compute from arrays.

use std::path::PathBuf;
use std::sync::Mutex;

use numpy::{PyArray1, PyArray2, PyReadonlyArray2, PyReadwriteArray2, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use tavola_engine::arrays::{COUNTS, evaluate, position_of};
use tavola_evaluator::{Evaluator, NetEvaluator};
use tavola_net::{Encoder, Precision, Weights};
use tavola_rules::{Backgammon, Game};

use crate::arrays;
use crate::engine::threads;
use crate::error;

/// A layer: its weights and its biases.
type Layer<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<f32>>);

/// A network of backgammon or of one of its variants.
#[pyclass(frozen, module = "tavola._tavola")]
pub struct Network {
    weights: Weights,
    name: String,
    game: Backgammon,
    encoder: Encoder,
    fixed: NetEvaluator<Backgammon>,
    float: NetEvaluator<Backgammon>,
    /// A fork of `fixed` with its memory, for calls one after the other.
    warm: Mutex<NetEvaluator<Backgammon>>,
}

impl Network {
    fn of(
        py: Python<'_>,
        network: Result<tavola_engine::LoadedNetwork, tavola_engine::EngineError>,
    ) -> PyResult<Self> {
        let network = network.map_err(|error| error::of_engine(py, &error))?;
        let weights = network.weights().clone();
        let game = arrays::variant(py, &weights.game)?;
        let unusable = |error: tavola_net::WeightsError| {
            error::refused(py, "model", &format!("cannot use {}: {error}", network.name()))
        };
        let evaluator =
            |precision| NetEvaluator::with_precision(&weights, game, precision).map_err(unusable);
        let (fixed, float) = (evaluator(Precision::Fixed)?, evaluator(Precision::Float)?);
        let encoder = Encoder::new(weights.encoder, game.layout());
        let (name, warm) = (network.name().to_owned(), Mutex::new(fixed.clone()));
        Ok(Self { name, game, encoder, fixed, float, warm, weights })
    }

    /// The game that it was trained for.
    pub const fn variant(&self) -> Backgammon {
        self.game
    }

    /// The evaluator in the default precision.
    pub const fn evaluator(&self) -> &NetEvaluator<Backgammon> {
        &self.fixed
    }
}

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (model=None, *, game="backgammon"))]
    fn new(py: Python<'_>, model: Option<PathBuf>, game: &str) -> PyResult<Self> {
        let asked = arrays::variant(py, game)?;
        let network = tavola_engine::LoadedNetwork::load_for(model.as_deref(), asked.name());
        Self::of(py, network)
    }

    /// The network whose file this is the content of.
    #[staticmethod]
    fn provided(py: Python<'_>, content: &[u8]) -> PyResult<Self> {
        Self::of(py, tavola_engine::LoadedNetwork::provided(content))
    }

    /// The content of its file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let content = self.weights.to_bytes();
        let content = content.map_err(|error| error::refused(py, "model", &error.to_string()))?;
        Ok(PyBytes::new(py, &content))
    }

    /// Evaluates rows of 26 counts into `out`, five figures or six a row.
    fn evaluate(
        &self,
        py: Python<'_>,
        positions: PyReadonlyArray2<'_, i8>,
        mut out: PyReadwriteArray2<'_, f32>,
        outcomes: bool,
        exact: bool,
        threads: Option<i64>,
    ) -> PyResult<()> {
        let threads = self::threads(py, threads)?;
        arrays::evaluate(py, &positions, &mut out, outcomes, |counts, columns, out, cancel| {
            let mut run = |evaluator: &mut dyn Evaluator<Backgammon>| {
                evaluate(evaluator, self.game, counts, columns, out, threads, cancel)
            };
            match self.warm.try_lock() {
                Ok(mut warm) if !exact => run(&mut *warm),
                _ if exact => run(&mut self.float.clone()),
                _ => run(&mut self.fixed.clone()),
            }
        })
    }

    /// Writes the inputs that the network has for rows of 26 counts into `out`.
    fn encode(
        &self,
        py: Python<'_>,
        positions: PyReadonlyArray2<'_, i8>,
        mut out: PyReadwriteArray2<'_, f32>,
    ) -> PyResult<()> {
        let counts = arrays::counts(py, &positions)?;
        let inputs = self.encoder.inputs();
        let out = arrays::figures(py, &mut out, counts.len() / COUNTS, inputs)?;
        py.detach(|| {
            let rows = counts.chunks_exact(COUNTS).zip(out.chunks_exact_mut(inputs));
            for (row, (counts, features)) in rows.enumerate() {
                let position = position_of(self.game, row, counts)?;
                self.encoder.encode(position.cells(), features);
            }
            Ok(())
        })
        .map_err(|error| error::of_engine(py, &error))
    }

    /// The layers, first to last.
    fn layers<'py>(&self, py: Python<'py>) -> Vec<Layer<'py>> {
        let layers = self.weights.layers.iter();
        layers
            .map(|layer| {
                let weights = arrays::matrix(py, &layer.weights, layer.outputs);
                (weights, layer.biases.to_pyarray(py))
            })
            .collect()
    }

    /// The network as a model of ONNX.
    fn to_onnx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let model = self.weights.to_onnx();
        let model = model.map_err(|error| error::refused(py, "model", &error.to_string()))?;
        Ok(PyBytes::new(py, &model))
    }

    /// How it was trained, text by key.
    #[getter]
    fn training<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = PyDict::new(py);
        for (key, value) in &self.weights.training {
            facts.set_item(key, value)?;
        }
        Ok(facts)
    }

    /// What messages call it.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The game that it was trained for.
    #[getter]
    fn game(&self) -> &'static str {
        self.game.name()
    }

    /// The name of its feature set.
    #[getter]
    fn encoder(&self) -> &'static str {
        self.weights.encoder.name()
    }

    /// Number of inputs.
    #[getter]
    fn inputs(&self) -> usize {
        self.encoder.inputs()
    }

    /// The widths of its hidden layers.
    #[getter]
    fn hidden(&self) -> Vec<usize> {
        self.weights.arch.hidden.clone()
    }

    /// Whether the second layer gets products of the units of the first.
    #[getter]
    fn products(&self) -> bool {
        self.weights.arch.products
    }

    /// SHA-256 of its weights.
    #[getter]
    fn checksum(&self) -> String {
        self.weights.checksum()
    }
}

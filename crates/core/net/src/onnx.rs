//! A network as a model of ONNX, for other programs to run.
//!
//! The model computes what [`Precision::Float`](crate::Precision::Float) computes, from the features
//! of the network's [`Encoder`](crate::Encoder): input `features` (`[batch, inputs]`), output
//! `outcomes` (`[batch, 6]`, the classes of [`tavola_rules::Outcome`]), both 32-bit floats. Its
//! metadata name the game, the encoder and the checksum of the weights. The operators are those of
//! version 13: `MatMul`, `Add`, `Relu`, `Split`, `Mul`, `Softmax`.
//!
//! The format is Protocol Buffers; the field numbers are those of `onnx.proto`.

use crate::arch::OUTPUTS;
use crate::protobuf::Message;
use crate::weights::{Layer, Weights, WeightsError, bias_name, weight_name};

/// The version of the format.
const IR_VERSION: u64 = 8;

/// The version of the set of operators.
const OPERATORS: u64 = 13;

/// 32-bit floats, as the format numbers types.
const FLOAT: u64 = 1;

/// The type of an attribute that is an integer.
const INTEGER: u64 = 2;

/// The graph on its way: its nodes in order, its constants, and the value that is computed so far.
struct Graph {
    message: Message,
    nodes: usize,
    value: String,
}

impl Graph {
    /// Appends a node that takes these values and, if it has one, this axis.
    fn node(&mut self, operator: &str, inputs: &[&str], outputs: &[&str], axis: Option<i64>) {
        let mut node = Message::default();
        for input in inputs {
            node = node.text(1, input);
        }
        for output in outputs {
            node = node.text(2, output);
        }
        node = node.text(3, &format!("{operator}{}", self.nodes)).text(4, operator);
        if let Some(axis) = axis {
            let attribute =
                Message::default().text(1, "axis").number(3, axis as u64).number(20, INTEGER);
            node = node.message(5, &attribute);
        }
        self.nodes += 1;
        self.message = std::mem::take(&mut self.message).message(1, &node);
    }

    /// Appends a node that turns the value and another one into the value `to`.
    fn apply(&mut self, operator: &str, other: Option<&str>, to: String, axis: Option<i64>) {
        let from = std::mem::replace(&mut self.value, to.clone());
        let inputs: Vec<&str> = [from.as_str()].into_iter().chain(other).collect();
        self.node(operator, &inputs, &[&to], axis);
    }

    /// Adds a constant.
    fn constant(&mut self, name: &str, shape: &[usize], numbers: &[f32]) {
        let mut tensor = Message::default();
        for &length in shape {
            tensor = tensor.number(1, length as u64);
        }
        let raw: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let tensor = tensor.number(2, FLOAT).text(8, name).bytes(9, &raw);
        self.message = std::mem::take(&mut self.message).message(5, &tensor);
    }

    /// Appends layer number `i` up to its sums.
    fn layer(&mut self, i: usize, layer: &Layer) {
        let (weights, biases) = (weight_name(i), bias_name(i));
        self.constant(&weights, &[layer.inputs, layer.outputs], &layer.weights);
        self.constant(&biases, &[layer.outputs], &layer.biases);
        self.apply("MatMul", Some(&weights), format!("product{i}"), None);
        self.apply("Add", Some(&biases), format!("sum{i}"), None);
    }
}

/// A value of floats with a batch of rows that are `width` long.
fn described(name: &str, width: usize) -> Message {
    let batch = Message::default().text(2, "batch");
    let width = Message::default().number(1, width as u64);
    let shape = Message::default().message(1, &batch).message(1, &width);
    let tensor = Message::default().number(1, FLOAT).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}

impl Weights {
    /// The network as a model of ONNX: the content of a file `.onnx`. Equal networks give equal
    /// bytes. The module's documentation in `onnx.rs` describes inputs and outputs.
    ///
    /// # Errors
    ///
    /// [`WeightsError::Shape`] if the layers do not fit the architecture.
    pub fn to_onnx(&self) -> Result<Vec<u8>, WeightsError> {
        self.check_shapes()?;
        let mut graph =
            Graph { message: Message::default(), nodes: 0, value: "features".to_owned() };
        graph.layer(0, &self.layers[0]);
        graph.apply("Relu", None, "units0".to_owned(), None);
        if self.arch.products {
            let units = graph.value.clone();
            graph.node("Split", &[&units], &["first_half", "second_half"], Some(-1));
            graph.node("Mul", &["first_half", "second_half"], &["products"], None);
            graph.value = "products".to_owned();
        }
        for (i, layer) in self.layers.iter().enumerate().skip(1) {
            graph.layer(i, layer);
            if i + 1 < self.layers.len() {
                graph.apply("Relu", None, format!("units{i}"), None);
            }
        }
        graph.apply("Softmax", None, "outcomes".to_owned(), Some(-1));
        let graph = graph
            .message
            .text(2, "tavola")
            .message(11, &described("features", self.arch.inputs))
            .message(12, &described("outcomes", OUTPUTS));
        let checksum = self.checksum();
        let inputs = format!(
            "32-bit floats [batch, {}]: the features of the encoder {:?} for the player on roll, as \
             docs/network-file.md numbers them",
            self.arch.inputs,
            self.encoder.name()
        );
        let outputs = "32-bit floats [batch, 6]: the probabilities of win, gammon win, backgammon \
                       win, loss, gammon loss, backgammon loss, which add up to 1";
        let facts = [
            ("game", &*self.game),
            ("encoder", self.encoder.name()),
            ("sha256", &checksum),
            ("features", &inputs),
            ("outcomes", outputs),
        ];
        let mut model = Message::default()
            .number(1, IR_VERSION)
            .text(2, "tavola")
            .text(3, env!("CARGO_PKG_VERSION"))
            .message(7, &graph)
            .message(8, &Message::default().text(1, "").number(2, OPERATORS));
        for (key, value) in facts {
            model = model.message(14, &Message::default().text(1, key).text(2, value));
        }
        Ok(model.into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EncoderKind, random_weights};

    #[test]
    fn numbers_and_texts_are_written_as_protocol_buffers_want_them() {
        let message = Message::default().number(1, 300).text(2, "ab");
        assert_eq!(message.into_bytes(), [0x08, 0xac, 0x02, 0x12, 2, b'a', b'b']);
        // Two's complement of 64 bits: ten bytes.
        assert_eq!(Message::default().number(3, -1i64 as u64).into_bytes().len(), 11);
    }

    #[test]
    fn a_model_names_its_layers_and_its_network() {
        let weights = random_weights(EncoderKind::OneHot, &[8, 4], 1);
        let model = weights.to_onnx().unwrap();
        let holds = |text: &str| model.windows(text.len()).any(|bytes| bytes == text.as_bytes());
        for text in ["layers.2.weight", "MatMul", "Softmax", "outcomes", "one-hot", "backgammon"] {
            assert!(holds(text), "{text}");
        }
        assert!(!holds("Split") && holds(&weights.checksum()));
        assert_eq!(model, weights.to_onnx().unwrap());
    }
}

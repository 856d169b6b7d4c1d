//! Networks and settings in parts, found by their checksum.

use crate::error::FleetError;
use crate::link::Link;
use crate::wire::{BLOBS, BlobRef, PART};

fn subject(blob: &BlobRef, part: u32) -> String {
    format!("tavola.blob.{}.{part}", blob.sha256)
}

/// Puts bytes into the stream of blobs. A blob that is stored already is replaced by itself.
pub(crate) async fn put(link: &Link, bytes: &[u8]) -> Result<BlobRef, FleetError> {
    let blob = BlobRef::of(bytes);
    let Some(parts) = blob.parts() else {
        return Err(FleetError::message(format!("{} bytes are too many to send", bytes.len())));
    };
    for part in 0..parts {
        let from = part as usize * PART;
        let bytes = &bytes[from..bytes.len().min(from + PART)];
        link.publish(subject(&blob, part), bytes.to_vec()).await?;
    }
    Ok(blob)
}

/// Gets the bytes of a blob, whose checksum is right.
pub(crate) async fn get(link: &Link, blob: &BlobRef) -> Result<Vec<u8>, FleetError> {
    let Some(parts) = blob.parts() else {
        return Err(FleetError::message(format!("a blob that nothing could hold: {blob:?}")));
    };
    let failed = FleetError::server("find a network or settings");
    let stream = link.context.get_stream_no_info(BLOBS).await.map_err(&failed)?;
    let mut bytes = Vec::new();
    for part in 0..parts {
        let message = stream
            .get_last_raw_message_by_subject(&subject(blob, part))
            .await
            .map_err(FleetError::server("find a network or settings"))?;
        bytes.extend_from_slice(&message.payload);
    }
    let found = BlobRef::of(&bytes);
    if found != *blob {
        let what = format!("a blob with the checksum {}, expected {}", found.sha256, blob.sha256);
        return Err(FleetError::message(what));
    }
    Ok(bytes)
}

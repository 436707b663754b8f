"""From what people have, frames, files, fitted synthesizers, to a `Release`."""

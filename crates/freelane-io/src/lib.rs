//! Array files: .npy, .npz, .csv and .safetensors, read with suspicion.

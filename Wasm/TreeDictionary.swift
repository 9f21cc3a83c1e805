/// Replaces the type of swift-collections in which the directory stores names, so that the WebAssembly module and the
/// native program of Tests/Wasm need no package. Neither of them looks up a name.
public typealias TreeDictionary<Key: Hashable, Value> = [Key: Value]

/// Why advertisements cannot be heard.
package enum RadioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operating system has no Bluetooth.
    case noBluetooth
    /// The operating system denies this program the use of the adapter.
    case notAllowed(adapter: String)
    /// There is no such adapter.
    case noAdapter(String)
    /// The adapter is switched off.
    case adapterOff(String)
    /// A virtual controller cannot be reached.
    case unreachable(address: String, cause: String)
    /// The connection to the controller ended.
    case ended(controller: String)
    /// The controller does not answer.
    case silent(controller: String)
    /// The controller does not do what it should, or does not speak the protocol.
    case refused(controller: String, cause: String)
    /// A capture cannot be read.
    case unreadable(path: String, cause: String)

    /// Whether a later attempt may succeed without anyone's help.
    package var isPassing: Bool {
        switch self {
        case .unreachable, .ended, .silent, .refused, .adapterOff, .noAdapter: true
        case .noBluetooth, .notAllowed, .unreadable: false
        }
    }

    /// One sentence without a full stop.
    package var description: String {
        switch self {
        case .noBluetooth:
            "this system has no Bluetooth: its kernel knows no Bluetooth sockets. "
                + "--h4 and --btsnoop do without"
        case .notAllowed(let adapter):
            "this program may not use \(adapter): run it as root, or give it the right to raw packets "
                + "(sudo setcap cap_net_raw+ep, with the program's path)"
        case .noAdapter(let adapter):
            "there is no Bluetooth adapter \(adapter): plug one in, or name another by --adapter"
        case .adapterOff(let adapter): "\(adapter) is switched off: bluetoothctl power on switches it on"
        case .unreachable(let address, let cause): "no controller answers at \(address): \(cause)"
        case .ended(let controller): "\(controller) ended the connection"
        case .silent(let controller): "\(controller) does not answer"
        case .refused(let controller, let cause): "\(controller): \(cause)"
        case .unreadable(let path, let cause): "\(path) cannot be read: \(cause)"
        }
    }
}

/// The devices of each user, in eight bytes a device: a chain of device numbers for each user.
struct Ownership: Sendable {
    /// By user number: the user's first device; 0 for none.
    private var first = SharedArray<Int32>()
    /// By device number: the next device of the same user; 0 for none.
    private var next = SharedArray<Int32>()

    /// Returns the devices of a user, in the order in which they were added.
    func devices(of user: UserNumber) -> Chain {
        let index = Int(user.rawValue)
        return Chain(following: next, device: first.indices.contains(index) ? first[index] : 0)
    }

    /// Whether a user has exactly one device.
    func hasOneDevice(_ user: UserNumber) -> Bool {
        let index = Int(user.rawValue)
        return first.indices.contains(index) && first[index] != 0 && next[Int(first[index])] == 0
    }

    /// Adds a device behind the user's others.
    ///
    /// - Complexity: O(the user's devices).
    mutating func add(_ device: DeviceNumber, to user: UserNumber) {
        first.extend(to: Int(user.rawValue) + 1, with: 0)
        next.extend(to: Int(device.rawValue) + 1, with: 0)
        next[Int(device.rawValue)] = 0
        if let last = devices(of: user).last {
            next[Int(last.rawValue)] = device.rawValue
        } else {
            first[Int(user.rawValue)] = device.rawValue
        }
    }

    /// Removes a device from its user.
    mutating func remove(_ device: DeviceNumber, from user: UserNumber) {
        guard next.indices.contains(Int(device.rawValue)), first.indices.contains(Int(user.rawValue)) else { return }
        let following = next[Int(device.rawValue)]
        if first[Int(user.rawValue)] == device.rawValue {
            first[Int(user.rawValue)] = following
        } else if let previous = devices(of: user).first(where: { next[Int($0.rawValue)] == device.rawValue }) {
            next[Int(previous.rawValue)] = following
        }
        next[Int(device.rawValue)] = 0
    }

    /// The devices of one user.
    struct Chain: Sequence, IteratorProtocol {
        fileprivate let following: SharedArray<Int32>
        fileprivate var device: Int32

        mutating func next() -> DeviceNumber? {
            guard device != 0 else { return nil }
            defer { device = following[Int(device)] }
            return DeviceNumber(device)
        }

        fileprivate var last: DeviceNumber? { reduce(nil) { $1 } }
    }
}

#if canImport(Security)
    import Foundation
    import Security

    /// Keeps credentials in the keychain of an Apple device, readable once it was unlocked after it started.
    public struct KeychainCredentialKeeper: CredentialKeeper {
        private let service: String

        /// A place in the keychain.
        public init(service: String = "muster") { self.service = service }

        private var query: [CFString: Any] {
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service as CFString,
                kSecAttrAccount: "account" as CFString,
            ]
        }

        /// What was kept; nil where nothing was.
        public func load() throws -> Data? {
            var query = query
            query[kSecReturnData] = true
            var found: CFTypeRef?
            switch SecItemCopyMatching(query as CFDictionary, &found) {
            case errSecSuccess: return found as? Data
            case errSecItemNotFound: return nil
            case let status: throw CredentialFault.refused("the keychain says \(status)")
            }
        }

        /// Keeps credentials in place of what was kept before.
        public func keep(_ secret: Data) throws {
            try forget()
            var query = query
            query[kSecValueData] = secret
            query[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlock
            let status = SecItemAdd(query as CFDictionary, nil)
            guard status == errSecSuccess else { throw CredentialFault.refused("the keychain says \(status)") }
        }

        /// Forgets what was kept.
        public func forget() throws {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else {
                throw CredentialFault.refused("the keychain says \(status)")
            }
        }
    }
#endif

#if canImport(Security)
    public import Foundation
    import Security

    /// Keeps credentials in the keychain of an Apple device, as one generic password.
    ///
    /// The item can be read once the device was unlocked after it started, so that a launch in the background finds
    /// it. It stays on this device: no backup brings it to another.
    public struct KeychainCredentialKeeper: CredentialKeeper {
        private let service: String

        /// - Parameter service: the name of the keychain item's service. Apps that share a keychain group use
        ///   different names.
        public init(service: String = "muster") { self.service = service }

        private var query: [CFString: Any] {
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service as CFString,
                kSecAttrAccount: "account" as CFString, kSecUseDataProtectionKeychain: true,
            ]
        }

        /// The stored credentials; nil if the keychain has none.
        ///
        /// - Throws: `CredentialError.refused` with the keychain's message.
        public func loadCredentials() throws -> Data? {
            var query = query
            query[kSecReturnData] = true
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            try check(status)
            return found as? Data
        }

        /// Stores credentials in place of earlier ones. If the keychain refuses, the earlier ones are unchanged.
        ///
        /// - Throws: `CredentialError.refused` with the keychain's message.
        public func storeCredentials(_ secret: Data) throws {
            let content: [CFString: Any] = [
                kSecValueData: secret, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            func update() -> OSStatus { SecItemUpdate(query as CFDictionary, content as CFDictionary) }
            let status = update()
            guard status == errSecItemNotFound else { return try check(status) }
            let added = SecItemAdd(query.merging(content) { _, new in new } as CFDictionary, nil)
            // Another process of the keychain group, an extension say, added it between the two calls.
            try check(added == errSecDuplicateItem ? update() : added)
        }

        /// Deletes the stored credentials, if there are any.
        ///
        /// - Throws: `CredentialError.refused` with the keychain's message.
        public func deleteCredentials() throws {
            let status = SecItemDelete(query as CFDictionary)
            if status != errSecItemNotFound { try check(status) }
        }

        private func check(_ status: OSStatus) throws {
            guard status != errSecSuccess else { return }
            let message = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "no message"
            throw CredentialError.refused("the keychain answered \(status): \(message)")
        }
    }
#endif

extension String {
    /// Reads bytes as UTF-8; nil where they are not valid UTF-8 (Unicode 16.0, table 3-7).
    ///
    /// It is Swift's `String(validating:as:)`, which Apple's systems have from iOS 18 on, for iOS 17, too.
    @inlinable package init?(utf8 bytes: some Collection<UInt8>) {
        if #available(iOS 18, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(unrepaired: bytes)
        }
    }

    /// Reads bytes as UTF-8 by decoding and comparing them: what is not UTF-8 was replaced by U+FFFD, so it differs.
    @usableFromInline init?(unrepaired bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}

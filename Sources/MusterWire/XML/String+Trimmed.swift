extension String {
    /// The text without the white space and control characters at its ends.
    var trimmed: String {
        func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.value <= 0x20 }
        guard let first = unicodeScalars.firstIndex(where: { !isSpace($0) }),
            let last = unicodeScalars.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(unicodeScalars[first...last])
    }
}

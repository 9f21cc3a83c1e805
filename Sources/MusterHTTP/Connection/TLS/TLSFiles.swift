/// The paths of the certificate and its key.
package struct TLSFiles: Hashable, Sendable {
    /// The server's certificate, followed by its intermediate certificates.
    package var certificateChain: String
    /// The private key of the server's certificate.
    package var privateKey: String

    package init(certificateChain: String, privateKey: String) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }
}

/// The schemas of devices' tokens and certificates.
extension Schema {
    private static let certificateTerms = [
        ("days", #"{"type":"number","minimum":1,"maximum":1825}"#), ("readsAsUser", boolean),
    ]

    static let deviceCredentials: [(String, String)] = [
        ("DeviceToken", object([("device", text), ("token", text)])),
        ("NewDeviceCertificate", object([("request", text)], optional: certificateTerms)),
        (
            "DeviceCertificate",
            object([("device", text), ("certificate", text), ("authority", text), ("expiresAt", time)])
        ),
        ("NewDeviceEnrollment", object([], optional: certificateTerms)),
        ("DeviceEnrollment", object([("device", text), ("token", text), ("expiresAt", time)])),
        ("TAKCertificate", object([("signedCert", text), ("ca0", text)])), ("CertificateRequest", text),
        ("XMLText", text),
        (
            "DeviceTokenList",
            object([
                (
                    "items",
                    list(
                        of: object(
                            [("id", text), ("createdAt", time)], optional: [("madeBy", name), ("expiresAt", time)]))
                )
            ])
        ),
    ]
}

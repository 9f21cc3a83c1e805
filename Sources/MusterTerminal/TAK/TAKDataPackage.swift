import CryptoExtras
import SwiftASN1
import X509

/// The private key of a TAK client, and a request for its certificate. The key leaves this machine in the data package
/// alone; the server never has it.
package struct TAKClientKey {
    private let key: _RSA.Signing.PrivateKey

    /// Makes a new key. It is RSA of 2,048 bits, because each TAK client takes that.
    package init() throws { key = try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    /// The key in the form of PKCS #8.
    package var privateKey: [UInt8] { Array(key.pkcs8DERRepresentation) }

    /// The request for a certificate (PKCS #10), as PEM.
    package var request: String {
        get throws {
            let own = Certificate.PrivateKey(key)
            return try CertificateSigningRequest(
                version: .v1, subject: DistinguishedName { CommonName("muster") }, privateKey: own,
                attributes: CertificateSigningRequest.Attributes(), signatureAlgorithm: .sha256WithRSAEncryption
            ).serializeAsPEM().pemString
        }
    }
}

/// A data package that connects ATAK, iTAK or WinTAK to a server: a zip archive with a manifest, settings, the client's
/// certificate with its key, and the authority that the client trusts.
///
/// Source: the data packages that TAK Server's administrators hand out (TAK Server Configuration Guide, "Client
/// connection setup").
package struct TAKDataPackage {
    /// How a client reaches the server.
    package struct Server {
        package var host: String
        package var port: Int
        /// What clients show of the server.
        package var name: String

        package init(host: String, port: Int, name: String) {
            self.host = host
            self.port = port
            self.name = name
        }
    }

    /// The bytes of the archive.
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - certificate: the client's, as PEM.
    ///   - authority: that of the authority, as PEM.
    ///   - id: a UUID by which clients know the package.
    ///   - passwords: of the client's and of the authority's file. They are in the package too, as clients need it.
    package init(
        for server: Server, key: TAKClientKey, certificate: String, authority: String, id: String,
        passwords: (client: String, authority: String)
    ) throws {
        let client = try PEMDocument(pemString: certificate).derBytes
        let root = try PEMDocument(pemString: authority).derBytes
        let own = try PKCS12File(
            privateKey: key.privateKey, chain: [client, root], named: server.name, password: passwords.client)
        let trusted = try PKCS12File(trusting: [root], named: "authority", password: passwords.authority)
        var archive = ZipArchive()
        // iTAK reads the files at the top, and the names within the settings are those of ATAK.
        archive.add("manifest.xml", Array(Self.manifest(named: server.name, id).utf8))
        archive.add("server.pref", Array(Self.settings(server, passwords).utf8))
        archive.add("client.p12", own.bytes)
        archive.add("authority.p12", trusted.bytes)
        bytes = archive.bytes
    }

    private static func manifest(named name: String, _ id: String) -> String {
        """
        <MissionPackageManifest version="2">
          <Configuration>
            <Parameter name="uid" value="\(escaped(id))"/>
            <Parameter name="name" value="\(escaped(name))"/>
            <Parameter name="onReceiveDelete" value="true"/>
          </Configuration>
          <Contents>
            <Content ignore="false" zipEntry="server.pref"/>
            <Content ignore="false" zipEntry="client.p12"/>
            <Content ignore="false" zipEntry="authority.p12"/>
          </Contents>
        </MissionPackageManifest>

        """
    }

    private static func settings(_ server: Server, _ passwords: (client: String, authority: String)) -> String {
        func entry(_ key: String, _ value: String, _ type: String = "String") -> String {
            "<entry key=\"\(key)\" class=\"class java.lang.\(type)\">\(escaped(value))</entry>"
        }
        // A client takes what stands before the first colon as the host, unless brackets hold it.
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        return """
            <?xml version='1.0' encoding='UTF-8' standalone='yes'?>
            <preferences>
              <preference version="1" name="cot_streams">
                \(entry("count", "1", "Integer"))
                \(entry("description0", server.name))
                \(entry("enabled0", "true", "Boolean"))
                \(entry("connectString0", "\(host):\(server.port):ssl"))
              </preference>
              <preference version="1" name="com.atakmap.app_preferences">
                \(entry("displayServerConnectionWidget", "true", "Boolean"))
                \(entry("caLocation", "cert/authority.p12"))
                \(entry("caPassword", passwords.authority))
                \(entry("certificateLocation", "cert/client.p12"))
                \(entry("clientPassword", passwords.client))
              </preference>
            </preferences>

            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

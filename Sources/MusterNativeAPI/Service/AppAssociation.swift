import Hummingbird
import MusterHTTP
import MusterServer
import MusterWire

extension ServiceRoutes {
    /// The pages whose links the app opens by itself: the member's app and invitations. Share links stay in the
    /// browser, because they are for people who have no app.
    private static let openedPaths = ["/me/*", "/console/invite*"]

    /// Answers with the file by which iOS lets an app open this server's links and fill in its passwords (Apple:
    /// "Supporting associated domains"). The app is the one to which the server sends by APNs.
    ///
    /// - Throws: `Problem.notFound` where the server sends by no APNs.
    func seeAppAssociation(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        guard let credentials = configuration.push.apns else { throw Problem.notFound }
        let app = credentials.applicationIdentifier
        var response = Response.json { writer in
            writer.beginObject()
            writer.key("applinks")
            writer.beginObject()
            writer.member("details", listing: [app]) { writer, app in
                writer.beginObject()
                writer.member("appIDs", listing: [app]) { $0.value($1) }
                writer.member("components", listing: Self.openedPaths) { writer, path in
                    writer.beginObject()
                    writer.member("/", path)
                    writer.endObject()
                }
                writer.endObject()
            }
            writer.endObject()
            writer.key("webcredentials")
            writer.beginObject()
            writer.member("apps", listing: [app]) { $0.value($1) }
            writer.endObject()
            writer.endObject()
        }
        response.headers[.cacheControl] = "public, max-age=300"
        return response
    }
}

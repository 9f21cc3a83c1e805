/// Paths of the native API that other parts of the server name.
package enum APIPaths {
    /// The path below which all routes of the native API are.
    package static let root = "/api/v1"
    /// The OpenAPI document of all routes.
    package static let description = "\(root)/openapi.json"
}

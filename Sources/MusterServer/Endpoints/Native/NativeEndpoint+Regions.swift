import Hummingbird
import MusterCore

extension NativeEndpoint {
    func addRegions(to routes: inout RouteTable) {}
}

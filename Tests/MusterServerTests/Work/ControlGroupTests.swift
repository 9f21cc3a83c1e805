import Testing

@testable import MusterHTTP
@testable import MusterServer

@Suite struct ControlGroupTests {
    private let files = [
        "/sys/fs/cgroup/system.slice/muster.service/memory.max": "max\n",
        "/sys/fs/cgroup/system.slice/memory.max": "134217728\n", "/sys/fs/cgroup/memory.max": "268435456\n",
    ]

    @Test func `the smallest limit of a group and those above it holds`() {
        let membership = "1:name=systemd:/x\n0::/system.slice/muster.service\n"
        #expect(ControlGroup.memoryLimitBytes(membership: membership) { files[$0] } == 134_217_728)
        #expect(ControlGroup.memoryLimitBytes(membership: "0::/\n") { files[$0] } == 268_435_456)
    }

    @Test(arguments: [nil, "", "1:memory:/docker/a\n", "0::/other\n"])
    func `without a version 2 group or a limit the memory is not limited`(membership: String?) {
        #expect(ControlGroup.memoryLimitBytes(membership: membership) { $0.contains("/other/") ? "max\n" : nil } == nil)
    }
}

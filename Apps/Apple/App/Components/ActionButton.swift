import SwiftUI

/// A button whose action waits, as for the phone's disk. It cannot be pressed again meanwhile.
struct ActionButton: View {
    let title: String
    let symbol: String
    var role: ButtonRole?
    let action: @MainActor () async -> Void
    @State private var isBusy = false

    /// - Parameters:
    ///   - title: the title, worded by a model.
    ///   - symbol: a symbol of SF Symbols.
    init(_ title: String, _ symbol: String, role: ButtonRole? = nil, action: @escaping @MainActor () async -> Void) {
        self.title = title
        self.symbol = symbol
        self.role = role
        self.action = action
    }

    var body: some View {
        Button(title, systemImage: symbol, role: role) {
            isBusy = true
            Task {
                await action()
                isBusy = false
            }
        }
        .disabled(isBusy)
    }
}

/// A button that is held, so that a pocket does not press it. VoiceOver and Switch Control press it once: they do not
/// press by accident, and cannot hold.
struct HoldButton: View {
    let title: String
    let hint: String
    /// What is said where it was held too shortly.
    let tooShort: String
    let seconds: Double
    let action: @MainActor () async -> Void
    @State private var isPressed = false
    @State private var isTooShort = false

    var body: some View {
        VStack(spacing: 4) {
            Text(title).font(.title).fontWeight(.bold).foregroundStyle(.white)
                .frame(maxWidth: .infinity, minHeight: 88)
                .background(.red, in: RoundedRectangle(cornerRadius: 16))
                .scaleEffect(isPressed ? 0.94 : 1)
                .opacity(isPressed ? 0.7 : 1)
                .animation(.linear(duration: seconds), value: isPressed)
                .contentShape(RoundedRectangle(cornerRadius: 16))
                .onLongPressGesture(minimumDuration: seconds, maximumDistance: 60) {
                    isTooShort = false
                    Task { await action() }
                } onPressingChanged: { isPressing in
                    isTooShort = isPressed && !isPressing
                    isPressed = isPressing
                }
                .accessibilityElement(children: .ignore)
                .accessibilityLabel(title)
                .accessibilityHint(hint)
                .accessibilityAddTraits(.isButton)
                .accessibilityAction { Task { await action() } }
            Text(isTooShort ? tooShort : hint).font(.footnote).foregroundStyle(.secondary)
        }
    }
}

struct HoldButton_Previews: PreviewProvider {
    static var previews: some View {
        HoldButton(title: "SOS", hint: "Hold for 1 s", tooShort: "Hold it longer", seconds: 1) {}
    }
}

import MusterApp
import SwiftUI

/// Signing in by name and password, by an invitation, or by its QR code.
struct SignInView: View {
    @Bindable var signIn: SignInModel
    @State private var isScanning = false

    var body: some View {
        NavigationStack {
            Form {
                Text(signIn.what)
                if let question = signIn.serverQuestion {
                    ServerSection(signIn: signIn, question: question)
                } else if let invitation = signIn.invitation {
                    InvitationSection(signIn: signIn, invitation: invitation)
                } else {
                    form
                }
                TextLines([signIn.waitingText ?? ""])
                if let problem = signIn.problem { Label(problem, systemImage: "exclamationmark.octagon") }
                if signIn.isBusy {
                    HStack {
                        ProgressView()
                        Spacer()
                        Button(signIn.cancelTitle, role: .cancel) { signIn.cancel() }
                    }
                }
            }
            .navigationTitle("Muster")
            .sheet(isPresented: $isScanning) {
                QRScanner(cancelTitle: signIn.cancelTitle) { text in
                    isScanning = false
                    signIn.open(text)
                }
            }
        }
    }

    @ViewBuilder private var form: some View {
        Section {
            TextField(signIn.serverTitle, text: $signIn.server).textContentType(.URL).keyboardType(.URL)
                .textInputAutocapitalization(.never).autocorrectionDisabled()
            TextField(signIn.nameTitle, text: $signIn.user).textContentType(.username)
                .textInputAutocapitalization(.never).autocorrectionDisabled()
            SecureField(signIn.passwordTitle, text: $signIn.password).textContentType(.password)
                .onSubmit { Task { await signIn.signIn() } }
            Button(signIn.signInTitle, systemImage: "key") { Task { await signIn.signIn() } }
                .disabled(!signIn.canSubmit)
        }
        if QRScanner.isAvailable {
            Button(signIn.scanTitle, systemImage: "qrcode.viewfinder") { isScanning = true }
        }
    }
}

/// Whether the server of a link or a QR code is the right one. Nothing was sent to it yet.
struct ServerSection: View {
    let signIn: SignInModel
    let question: Question

    var body: some View {
        Section(question.title) {
            TextLines(question.lines)
            ActionButton(question.button, "checkmark") { await signIn.confirmServer() }
            Button(question.cancel, systemImage: "xmark", role: .cancel) { signIn.leaveServer() }
        }
    }
}

/// An invitation whose link was opened: the person chooses a password.
struct InvitationSection: View {
    @Bindable var signIn: SignInModel
    let invitation: SignInModel.Invitation

    var body: some View {
        Section(invitation.welcome) {
            LabeledContent(signIn.nameTitle, value: invitation.user)
            TextLines(invitation.lines + [invitation.rule])
            SecureField(invitation.passwordTitle, text: $signIn.newPassword).textContentType(.newPassword)
            TextLines([signIn.passwordFault ?? ""])
            Button(invitation.acceptTitle, systemImage: "checkmark") { Task { await signIn.accept() } }
                .disabled(!signIn.canAccept)
            Button(signIn.cancelTitle, systemImage: "xmark", role: .cancel) { signIn.leaveInvitation() }
        }
    }
}

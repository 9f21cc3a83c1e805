package import MusterGeometry

/// What the server answers to a text. It says what was understood, and nothing of anybody else.
package enum TextAnswer: Hashable, Sendable {
    /// The person wrote that they are safe, and counts so once they have written this code.
    case confirmSafe(code: String, minutes: Int)
    case safe
    /// The person wrote that they are safe, and their call for help stands.
    case sosStands
    case help(at: Coordinate?)
    case sos(at: Coordinate?)
    case place(Coordinate)
    /// Something newer is known of the person than this text.
    case tooLate
    /// Several people have the number, so a text of it is nobody's own word. Their calls for help count.
    case sharedNumber
    case notUnderstood

    /// The words, in one message of the network: at most 160 characters of GSM's alphabet (3GPP TS 23.038), or 70 of
    /// others. That alphabet has no á, í, ó and ú, so no Spanish word has them.
    package func words(in language: TextLanguage) -> String {
        let words =
            switch language {
            case .english: english
            case .spanish: spanish
            case .japanese: japanese
            case .chinese: chinese
            }
        return "Muster: " + words
    }

    /// The example of a place.
    private static let example = "43.5665,-6.058"

    private var english: String {
        switch self {
        case .confirmSafe(let code, let minutes):
            "to count as SAFE, answer with SAFE \(code) within \(minutes) minutes. In danger, answer SOS."
        case .safe: "understood SAFE. You count as safe from now on."
        case .sosStands: "your SOS stands. A text does not end it: end it together with your leader."
        case .help(nil): "understood HELP. It is shown to your leaders. You may add a place: HELP \(Self.example)"
        case .help(let place?): "understood HELP at \(place.text). It is shown to your leaders."
        case .sos(nil): "understood SOS. It is shown to your leaders. You may add a place: SOS \(Self.example)"
        case .sos(let place?): "understood SOS at \(place.text). It is shown to your leaders."
        case .place(let place): "understood your place, \(place.text). You may also answer SAFE, HELP or SOS."
        case .tooLate: "not counted, because something newer is known of you. If it is so now, write it again."
        case .sharedNumber: "not counted: several people have this number. Only HELP and SOS count. Tell your leader."
        case .notUnderstood:
            "not understood; nothing has changed. Write only SAFE, HELP, SOS or a place such as \(Self.example)"
        }
    }

    private var spanish: String {
        switch self {
        case .confirmSafe(let code, let minutes):
            "para contar A SALVO, contesta A SALVO \(code) antes de \(minutes) minutos. En peligro, contesta SOS."
        case .safe: "entendido A SALVO. Desde ahora cuentas como persona a salvo."
        case .sosStands: "tu SOS sigue. Un SMS no lo termina: hazlo junto con tu responsable."
        case .help(nil):
            "entendido AYUDA. Se muestra a tus responsables. Puedes mandar un lugar: AYUDA \(Self.example)"
        case .help(let place?): "entendido AYUDA en \(place.text). Se muestra a tus responsables."
        case .sos(nil): "entendido SOS. Se muestra a tus responsables. Puedes mandar un lugar: SOS \(Self.example)"
        case .sos(let place?): "entendido SOS en \(place.text). Se muestra a tus responsables."
        case .place(let place): "entendido tu lugar, \(place.text). Puedes contestar A SALVO, AYUDA o SOS."
        case .tooLate: "no cuenta, porque ya se sabe algo posterior. Si es de ahora, escribe otra vez lo mismo."
        case .sharedNumber: "no cuenta: varias personas tienen este teléfono. Solo cuentan AYUDA y SOS."
        case .notUnderstood:
            "no se entiende y nada cambia. Escribe solo A SALVO, AYUDA, SOS o un lugar como \(Self.example)"
        }
    }

    private var japanese: String {
        switch self {
        case .confirmSafe(let code, let minutes):
            "安全と数えるには\(minutes)分以内に「無事 \(code)」と返信してください。危険ならSOS。"
        case .safe: "「無事」を受け付けました。今から安全と数えます。"
        case .sosStands: "SOSは続いています。SMSでは終わりません。責任者と一緒に終えてください。"
        case .help(nil): "「助けて」を責任者に表示します。場所も送れます: 助けて \(Self.example)"
        case .help(let place?): "「助けて」を責任者に表示します。場所: \(place.text)"
        case .sos(nil): "SOSを責任者に表示します。場所も送れます: SOS \(Self.example)"
        case .sos(let place?): "SOSを責任者に表示します。場所: \(place.text)"
        case .place(let place): "場所 \(place.text) を受け付けました。無事、助けて、SOSも送れます。"
        case .tooLate: "より新しい情報があるので数えません。今のことなら、もう一度送ってください。"
        case .sharedNumber: "数えません。この番号は複数の人のものです。「助けて」とSOSだけを受け付けます。"
        case .notUnderstood: "分からないので何も変えません。無事、助けて、SOSか、場所 \(Self.example) だけを送ってください。"
        }
    }

    private var chinese: String {
        switch self {
        case .confirmSafe(let code, let minutes): "要计为安全，请在\(minutes)分钟内回复“安全 \(code)”。有危险请回复SOS。"
        case .safe: "已收到“安全”。您从现在起计为安全。"
        case .sosStands: "您的SOS仍然有效。短信不能结束它，请与负责人一起结束。"
        case .help(nil): "已收到“求助”，会显示给负责人。可附上位置：求助 \(Self.example)"
        case .help(let place?): "已收到“求助”，会显示给负责人。位置：\(place.text)"
        case .sos(nil): "已收到SOS，会显示给负责人。可附上位置：SOS \(Self.example)"
        case .sos(let place?): "已收到SOS，会显示给负责人。位置：\(place.text)"
        case .place(let place): "已收到位置 \(place.text)。也可以回复 安全、求助 或 SOS。"
        case .tooLate: "已有更新的消息，此条不计入。如果说的是现在，请再发一次。"
        case .sharedNumber: "未计入：此号码由多人使用，只接受“求助”和SOS。请告诉负责人。"
        case .notUnderstood: "看不懂，未作任何更改。请只写 安全、求助、SOS 或位置 \(Self.example)"
        }
    }
}

extension Coordinate {
    /// The place with five decimals at most, about a metre.
    fileprivate var text: String {
        func rounded(_ degrees: Double) -> String { JSONWriter.text((degrees * 1e5).rounded() / 1e5) }
        return "\(rounded(latitude)),\(rounded(longitude))"
    }
}

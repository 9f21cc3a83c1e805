// The texts of the people nearby in Japanese.

extension Words {
    static let japaneseNearby = """
        nearbyAllow = 許可
        nearbyAsks = 近くにいる{name}さんが、あなたまでの距離を知りたいと言っています
        nearbyFailed = この電話は今は測れません。この画面をもう一度開いてください。
        nearbyNoDirection = 方向は不明
        nearbyNoDistance = 距離はまだ不明
        nearbyNobody = まだ誰も見つかりません。相手もこの画面を開く必要があります。
        nearbyRefuse = 許可しない
        nearbyTitle = 近くの人
        nearbyWhat = 電話どうしで、相手までの距離と方向を測ります。この画面を開いている間だけ働きます。
        """
}

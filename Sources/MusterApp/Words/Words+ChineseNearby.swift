// The texts of the people nearby in Chinese.

extension Words {
    static let chineseNearby = """
        nearbyAllow = 允许
        nearbyAsks = {name}在附近，想查看与您的距离
        nearbyFailed = 本机现在无法测量。请重新打开此页。
        nearbyNoDirection = 方向未知
        nearbyNoDistance = 距离未知
        nearbyNobody = 尚未找到任何人。对方也需要打开此页。
        nearbyRefuse = 不允许
        nearbyTitle = 附近的人
        nearbyWhat = 手机之间直接测量距离和方向。仅在打开此页时有效。
        """
}

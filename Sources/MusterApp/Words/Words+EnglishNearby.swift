// The texts of the people nearby in English.

extension Words {
    static let englishNearby = """
        nearbyAllow = Allow
        nearbyAsks = {name} is nearby, and wants to see how far away you are
        nearbyFailed = This phone cannot measure anybody now. Open this part again.
        nearbyNoDirection = No direction
        nearbyNoDistance = No distance yet
        nearbyNobody = Nobody was found yet. The other person opens this part, too.
        nearbyRefuse = Do not allow
        nearbyTitle = People nearby
        nearbyWhat = How far somebody is, and in which direction, from phone to phone. It works \
        while this part is open.
        """
}

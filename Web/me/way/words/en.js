/** The words of the way to the assembly point in English. The other tables have the same keys. */
export default Object.freeze({
    "me.way.title": "Way to the assembly point",
    "me.way.n": "N",
    "me.way.straight": "{length}, straight line",
    "me.way.turn.ahead": "ahead of you",
    "me.way.turn.aheadRight": "ahead to your right",
    "me.way.turn.right": "to your right",
    "me.way.turn.behindRight": "behind you to the right",
    "me.way.turn.behind": "behind you",
    "me.way.turn.behindLeft": "behind you to the left",
    "me.way.turn.left": "to your left",
    "me.way.turn.aheadLeft": "ahead to your left",
    "me.way.inside":
        "As this phone sees it, you are inside {place}. Whether you count as safe is said by the server.",
    "me.way.wasInside": "As this phone saw it then, you were inside {place}.",
    "me.way.atEdge": "You may be inside {place}, but not surely. Go on to its middle.",
    "me.way.wasAtEdge": "You may have been inside {place} then, but not surely.",
    "me.way.near": "You may be at {place} already. The direction is not sure.",
    "me.way.here": "you are there",
    "me.way.accuracy": "Your place is known to {length}.",
    "me.way.noAccuracy": "How exact your place is, is not known.",
    "me.way.old": "This is your place of {time}, {age}. Where you are now is not known.",
    "me.way.by.compass": "The arrow turns by the compass.",
    "me.way.by.walk": "The arrow turns by the direction in which you walk.",
    "me.way.by.north": "The arrow does not turn: north is up.",
    "me.way.roughCompass": "The compass is not exact (±{degrees}°). Move the phone in the shape of an 8.",
    "me.way.compassDenied": "The compass was refused. Open the page again to be asked once more.",
    "me.way.useCompass": "Turn the arrow by the compass",
    "me.way.nearest": "Show the nearest again",
    "me.way.notLinked":
        "Which assembly points are your team’s was not heard from the server yet. Others may be among them.",
    "me.way.notHeard": "The server did not say yet which assembly points there are.",
    "me.way.noPoints": "Your team has no assembly point.",
    "me.way.denied":
        "This page may not read where the phone is, so there is no distance. The assembly points are on the "
        + "map.",
    "me.way.noFix":
        "This phone does not report where it is, so no distance is known. The assembly points are on the map.",
    "me.way.looks": "Where this phone is, is being found out. The assembly points are on the map.",
    "me.way.find": "Find my place: nothing is sent",
    "me.way.others": "Other assembly points",
    "me.way.all": "Assembly points",
    "me.way.more": "Show more",
    "me.way.byBeacon": "A radio beacon decides who is at {place}: stay close to it.",
    "me.way.showMap": "Show the map",
    "me.way.hideMap": "Hide the map",
    "me.way.showMe": "Me and the way",
    "me.way.mapLabel": "Map with your place and the assembly points; the words above say the way",
    "me.way.mapLoads": "The map is loading.",
    "me.way.mapFailed":
        "The map could not be loaded. Open it once while you have a connection; then it is kept on this "
        + "phone.",
});

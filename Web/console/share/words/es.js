/** The words of the page of a share link in Spanish. */
export default Object.freeze({
    "share.place": "{place}, a las {time} ({age})",
    "share.running": "desde {since}",
    "share.ran": "de {since} a {until}: terminado",
    "share.find": "Buscar un nombre",
    "share.noneFound": "No hay nadie con ese nombre en la lista.",
    "share.empty": "No hay nadie en la lista.",
    "share.unaccounted": { one: "{count} sin contabilizar", other: "{count} sin contabilizar" },
    "share.checking": { one: "{count} en comprobación", other: "{count} en comprobación" },
    "share.accounted": { one: "{count} contabilizada", other: "{count} contabilizadas" },
});

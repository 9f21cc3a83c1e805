/** The words of the screen `regions` in Spanish. */
export default Object.freeze({
    "regions.none": "Todavía no hay colecciones de regiones. Añada una para empezar.",
    "regions.map": "Mapa de las regiones",
    "regions.noMap": "Aun así, las regiones se pueden editar con la lista de vértices.",
    "regions.thinned": "Aquí no todos los vértices tienen un tirador. Acerque el mapa para alcanzar cada uno.",
    "regions.all": "Todas las colecciones",
    "regions.back": "Volver a la lista",
    "regions.gone": "Ya no está, o usted no puede verlo.",
    "regions.search": "Buscar regiones",
    "regions.add": "Región nueva",
    "regions.new": "Región nueva",
    "regions.readOnly": "Puede mirar esta región, pero no cambiarla: su colección es compartida o de otro equipo. Un "
        + "administrador puede cambiarla.",
    "regions.inside": { one: "Dentro ahora: {count} persona", other: "Dentro ahora: {count} personas" },
    "regions.insideList": "Mostrarlas en la lista de personas",

    // Collections
    "regions.collection.add": "Colección nueva",
    "regions.collection.name": "Nombre",
    "regions.collection.nameHint": "De 1 a 64 letras, cifras y . _ - @. Las personas de su equipo se vigilan con ella.",
    "regions.collection.make": "Añadirla",
    "regions.collection.count": { one: "{count} región", other: "{count} regiones" },
    "regions.collection.readOnly": "Solo para mirar: es compartida o de otro equipo.",
    "regions.collection.policy": "Cómo se deciden los cruces",
    "regions.collection.empty": "Todavía no tiene regiones.",
    "regions.collection.noneFound": "Ninguna región con este nombre.",
    "regions.collection.more": { one: "Mostrar {count} más", other: "Mostrar {count} más" },
    "regions.policy.confident": "Con certeza: cuando es bastante probable",
    "regions.policy.raw": "En bruto: cada posición cuenta tal cual",
    "regions.kind.polygon": "polígono", "regions.kind.circle": "círculo", "regions.kind.none": "sin lugar",
    "regions.tag.muster": "punto de reunión",

    // Official warnings
    "regions.severity.minor": "leve", "regions.severity.moderate": "moderado",
    "regions.severity.severe": "grave", "regions.severity.extreme": "extremo",
    "regions.severity.unknown": "gravedad desconocida",
    "regions.warning.until": "hasta {time}", "regions.warning.from": "desde {time}",
    "regions.warning.sender": "Aviso de {sender}",
    "regions.warning.readOnly": "Un aviso oficial, tal como lo publica su servicio. Aquí no se puede "
        + "cambiar y termina por sí solo.",

    // What is kept until it is saved
    "regions.draft.tag": "sin guardar",
    "regions.draft.unsaved": "Hay cambios sin guardar. Se conservan mientras esta página siga abierta, también si "
        + "va a otra "
        + "pantalla o se cierra la sesión.",
    "regions.draft.back": "Esto es lo que cambió antes. Aún no está guardado.",
    "regions.changedElsewhere": "Alguien cambió esta región. Se muestra como está ahora.",
    "regions.save": "Guardar", "regions.saving": "Guardando…", "regions.discard": "Descartar",
    "regions.ask.discard": "¿Descartar lo que cambió?",
    "regions.ask.save": "¿Guardar este cambio?",
    "regions.ask.saveAnyway": "Guardarlo",
    "regions.id": "En direcciones y archivos se llamará {id}.",

    // Drawing
    "regions.tools.title": "Dibujo",
    "regions.tools.undo": "Deshacer", "regions.tools.redo": "Rehacer",
    "regions.tools.polygon": "Dibujar un polígono", "regions.tools.part": "Dibujar otra parte",
    "regions.tools.hole": "Dibujar un hueco", "regions.tools.circle": "Dibujar un círculo",
    "regions.tools.square": "Poner un cuadrado aquí",
    "regions.tools.snap": "Ajustar a otras regiones (con Alt se coloca libremente)",
    "regions.drawing.polygon": "Dibujando un polígono", "regions.drawing.hole": "Dibujando un hueco",
    "regions.drawing.circle": "Dibujando un círculo",
    "regions.drawing.hint": "Pulse cada vértice en el mapa, y otra vez el primero para cerrar. O escriba aquí cada "
        + "lugar.",
    "regions.drawing.circleHint": "Pulse el centro en el mapa y después un punto del borde. O escriba aquí el centro.",
    "regions.drawing.typed": "Vértice siguiente",
    "regions.drawing.add": "Añadir un vértice", "regions.drawing.centre": "Fijar el centro",
    "regions.drawing.count": { one: "{count} vértice hasta ahora", other: "{count} vértices hasta ahora" },
    "regions.drawing.finish": "Cerrar la forma", "regions.drawing.stop": "Dejar de dibujar",
    "regions.coordinates.latitude": "Latitud", "regions.coordinates.longitude": "Longitud",
    "regions.coordinates.fault": "Escriba grados: latitud de -90 a 90, longitud de -180 a 180.",
    "regions.place": "{latitude}, {longitude}",
    "regions.radius": "Radio en metros",

    // The list of vertices
    "regions.vertices.title": "Forma",
    "regions.vertices.none": "Todavía no hay nada dibujado.",
    "regions.vertices.step": "Paso de las flechas (m)",
    "regions.vertices.whole": "Mover la forma entera",
    "regions.vertices.wholeHint": "Mientras esté pulsado, arrastre la forma en el mapa o use aquí las flechas.",
    "regions.vertices.keys": "En un vértice: las flechas lo mueven (con Mayús diez pasos), Enter añade otro "
        + "detrás, Supr lo "
        + "quita, Re Pág y Av Pág eligen el siguiente, Ctrl+Z y Ctrl+Y deshacen y rehacen.",
    "regions.vertices.insert": "Añadir un vértice detrás", "regions.vertices.remove": "Quitar este vértice",
    "regions.vertex.one": "Vértice {number} de {of}",
    "regions.vertex.hole": "Hueco {hole}, vértice {number} de {of}",
    "regions.vertex.part": "Parte {part}, vértice {number} de {of}",
    "regions.vertex.holeOfPart": "Parte {part}, hueco {hole}, vértice {number} de {of}",
    "regions.vertex.centre": "Centro",
    "regions.ring.edge": "Borde", "regions.ring.part": "Parte {number}", "regions.ring.hole": "Hueco {number}",
    "regions.ring.count": { one: "{count} vértice", other: "{count} vértices" },
    "regions.ring.shown": "{from} a {to} de {of}",
    "regions.ring.before": "Anteriores", "regions.ring.after": "Siguientes",
    "regions.ring.removeHole": "Quitar este hueco", "regions.ring.removePart": "Quitar esta forma",
    "regions.ring.removeCircle": "Quitar el círculo",

    // What happened, for people who do not see the map
    "regions.said.selected": "{vertex}: {place}",
    "regions.said.moved": "{vertex} movido a {place}",
    "regions.said.inserted": "{vertex} añadido en {place}",
    "regions.said.drawn": { one: "Vértice {count} en {place}", other: "Vértice {count} en {place}" },
    "regions.said.resized": "Radio de {metres} m",
    "regions.said.circled": "Círculo alrededor de {place}, radio de {metres} m",
    "regions.said.shifted": "La forma entera se movió.",
    "regions.said.removed": "Vértice quitado.",
    "regions.said.needed": "Un anillo necesita tres vértices: este se queda. Quite la forma o el hueco entero.",
    "regions.said.holeRemoved": "Hueco quitado.", "regions.said.partRemoved": "Forma quitada.",
    "regions.said.replaced": "La forma se reemplazó.", "regions.said.squared": "Se añadió un cuadrado.",
    "regions.said.closed": "La forma está cerrada.", "regions.said.holeAdded": "El hueco está cerrado.",
    "regions.said.tooFew": "Hacen falta al menos tres vértices.",
    "regions.said.undone": "Deshecho.", "regions.said.redone": "Hecho de nuevo.",
    "regions.said.nothingToUndo": "No hay nada que deshacer.", "regions.said.nothingToRedo": "No hay nada que rehacer.",

    // Settings
    "regions.settings.title": "Ajustes",
    "regions.settings.name": "Nombre",
    "regions.settings.muster": "Punto de reunión",
    "regions.settings.musterHint": "Quien está dentro cuenta como a salvo.",
    "regions.settings.musterByRule": "Por una regla es un punto de reunión, se marque aquí lo que se marque: "
        + "{names}.",
    "regions.settings.musterBySomeRule": "Por una regla es un punto de reunión, se marque aquí lo que se marque.",
    "regions.settings.isNarrow": "Es un punto de encuentro pequeño. Los teléfonos yerran a menudo entre 5 y 20 m: "
        + "dibújelo más grande, para que nadie que esté dentro parezca haberse ido.",
    "regions.settings.dwell": "Avisar de una estancia tras (s)",
    "regions.settings.dwellHint": "Vacío: no se avisa de una estancia.",
    "regions.settings.exitDelay": "Retener una salida durante (s)",
    "regions.settings.exitDelayHint": "Por si el dispositivo vuelve entretanto.",
    "regions.settings.mode": "Qué cuesta un cruce equivocado",
    "regions.settings.evidence": "Quién está dentro lo deciden",
    "regions.mode.own": "Como siempre (da igual)", "regions.mode.ownMuster": "Como siempre (dentro se está a salvo)",
    "regions.mode.standard": "Da igual", "regions.mode.insideIsSafe": "Dentro se está a salvo",
    "regions.mode.insideIsDanger": "Dentro hay peligro",
    "regions.evidence.none": "las posiciones", "regions.evidence.beacon": "una baliza que está aquí",
    "regions.evidence.scanner": "un escáner que está aquí",
    "regions.evidence.hint": "Tal región es un círculo alrededor de la radio, y su radio es hasta dónde se oye. "
        + "Sin círculo "
        + "no tiene lugar y no pone a nadie a salvo.",
    "regions.beacon.uuid": "UUID de la baliza", "regions.beacon.major": "Número mayor",
    "regions.beacon.minor": "Número menor", "regions.beacon.scanner": "Escáner, como usuario/dispositivo",
    "regions.beacon.proximity": "A qué distancia debe estar un dispositivo",
    "regions.proximity.immediate": "medio metro", "regions.proximity.near": "tres metros",
    "regions.proximity.far": "hasta donde se oye",

    // What the server says of an edit
    "regions.outcome.title": "Lo que dice el servidor",
    "regions.outcome.empty": "Dibuje primero una forma.",
    "regions.outcome.checking": "Preguntando al servidor…",
    "regions.outcome.sound": "La región no tiene fallos.",
    "regions.outcome.unknown": "El servidor no puede decir ahora si hay un fallo ni a quién afectaría: {reason}",
    "regions.outcome.faults": { one: "{count} fallo. Hay que corregirlo antes de guardar la región.",
        other: "{count} fallos. Hay que corregirlos antes de guardar la región." },
    "regions.faults.go": "Mostrar: {detail}",
    "regions.faults.here": "Fallo aquí: {detail}",
    "regions.faults.field": "Fallo: {detail}",
    "regions.faults.more": { one: "{count} fallo más no se muestra.", other: "{count} fallos más no se muestran." },
    "regions.outlook.leave": {
        one: "{count} de {all} que están dentro ahora quedaría fuera: {names}",
        other: "{count} de {all} que están dentro ahora quedarían fuera: {names}",
    },
    "regions.outlook.enter": {
        one: "{count} que está fuera ahora quedaría dentro: {names}",
        other: "{count} que están fuera ahora quedarían dentro: {names}",
    },
    "regions.outlook.endSafe": {
        one: "{count} persona ya no estaría a salvo.", other: "{count} personas ya no estarían a salvo.",
    },
    "regions.outlook.becomeSafe": {
        one: "{count} persona contaría como a salvo.", other: "{count} personas contarían como a salvo.",
    },
    "regions.outlook.same": {
        one: "No cambia nada para la {count} persona que está dentro ahora.",
        other: "No cambia nada para las {count} personas que están dentro ahora.",
    },
    "regions.outlook.nobody": "Nadie está dentro ahora, y nadie lo estaría.",
    "regions.outlook.partial": {
        one: "De {count} persona más no se dice nada: el cambio afecta a demasiados dispositivos a la vez.",
        other: "De {count} personas más no se dice nada: el cambio afecta a demasiados dispositivos a la vez.",
    },
    "regions.outlook.more": { one: "{count} más", other: "{count} más" },

    // Two at one region
    "regions.conflict.title": "Otra persona cambió esta región",
    "regions.conflict.removed": "Otra persona quitó esta región",
    "regions.conflict.legend": "La suya, con trazos en el mapa; la de usted es la línea continua.",
    "regions.conflict.kept": "Lo que usted cambió sigue aquí, y nada está guardado.",
    "regions.conflict.look": "Mostrar ambas en el mapa",
    "regions.conflict.theirs": "Tomar la suya", "regions.conflict.theirsGone": "Dejarla quitada",
    "regions.conflict.mine": "Poner la mía encima", "regions.conflict.mineGone": "Hacerla de nuevo con la mía",
    "regions.conflict.onTop": "La de usted reemplaza a la suya cuando la guarde.",

    // Removing
    "regions.remove.open": "Quitar",
    "regions.remove.title": "¿Quitar {name}?",
    "regions.remove.undo": "Puede devolverla mientras esta página siga abierta. Quién está dentro se decide "
        + "entonces de nuevo.",
    "regions.remove.do": "Quitarla",
    "regions.removed.done": "{name} está quitada.",
    "regions.removed.hint": "Si la devuelve, tiene el mismo nombre y los mismos ajustes; quién estaba dentro se "
        + "decide de "
        + "nuevo, con lo que se sepa entonces.",
    "regions.removed.undo": "Devolverla",
    "regions.removed.back": "{name} está de vuelta. Quién está dentro se decide de nuevo.",
    "regions.order.save": "Guardar la región {name}",
    "regions.order.remove": "Quitar la región {name}",
    "regions.order.policy": "Cambiar cómo decide {name} los cruces",
    "regions.order.collection": "Añadir la colección {name}",
    "regions.order.import": "Importar {name} en {collection}",

    // Files
    "regions.import.open": "Importar un archivo",
    "regions.import.title": "Importar regiones de un archivo",
    "regions.import.hint": "GeoJSON de hasta 10 MB o KML de hasta 30 MB. Se guardan todas las regiones del "
        + "archivo, o ninguna.",
    "regions.import.file": "Elegir un archivo", "regions.import.orDrop": "o suelte uno en cualquier lugar aquí",
    "regions.import.drop": "Suelte el archivo para mirarlo. Todavía no se guarda nada.",
    "regions.import.chosen": "Elegido: {name}, {size}",
    "regions.import.into": "En la colección",
    "regions.import.noCollection": "No hay ninguna colección que usted pueda cambiar. Añada una primero.",
    "regions.import.looking": "El servidor mira el archivo…",
    "regions.import.sound": {
        one: "{count} región, sin fallos. Se muestra en el mapa.",
        other: "{count} regiones, sin fallos. Se muestran en el mapa.",
    },
    "regions.import.faults": {
        one: "{count} fallo. No se puede guardar nada del archivo hasta que se corrija.",
        other: "{count} fallos. No se puede guardar nada del archivo hasta que se corrijan.",
    },
    "regions.import.replaces": {
        one: "Se reemplaza {count} región que ya está: {names}",
        other: "Se reemplazan {count} regiones que ya están: {names}",
    },
    "regions.import.skipped": {
        one: "{count} cosa del archivo no tiene superficie y se omite.",
        other: "{count} cosas del archivo no tienen superficie y se omiten.",
    },
    "regions.import.line": "línea {number}",
    "regions.import.do": { one: "Importar {count} región", other: "Importar {count} regiones" },
    "regions.import.doNothing": "Importar",
    "regions.import.done": {
        one: "Se importó {count} región en {collection}.", other: "Se importaron {count} regiones en {collection}.",
    },
    "regions.file.empty": "Este archivo está vacío.",
    "regions.file.packed": "Esto es KMZ, un archivo comprimido. Descomprímalo y tome el KML que contiene.",
    "regions.file.unknown": "Esto no es GeoJSON ni KML.",
    "regions.file.tooLarge": "Este archivo tiene {size}. Se pueden enviar {limit} como mucho: divídalo o "
        + "simplifique sus "
        + "formas.",
    "regions.file.unreadable": "El archivo ya no se puede leer. Elíjalo de nuevo.",
});

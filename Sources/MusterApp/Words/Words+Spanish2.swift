// The texts of the app in Spanish, continued.

extension Words {
    static let spanish2 = """
        signInScan = Escanear el código QR de una invitación
        signInServer = Servidor
        signInSignIn = Iniciar sesión
        signInWhat = Dónde está su gente y si está a salvo.
        signInWrong = El nombre o la contraseña no son correctos.
        signOutErase = Borrar todo lo mío de este teléfono
        signOutNothingWaits = No hay nada por enviar.
        signOutWaits = Sin enviar aún: {what}. Se queda en este teléfono y se envía cuando vuelvas a \
        iniciar sesión.
        sosAcknowledge = Acusar recibo a {name}
        sosCall = Llamar a {phone}
        sosFrom = SOS de {name}
        sosHow = Esto queda hasta que alguien acuse recibo. Lo que usted escribía también queda.
        sosSince = desde {time}, {age}
        sosTitle.one = SOS: una persona está en peligro
        sosTitle.other = SOS: {count} personas están en peligro
        spokenCheckIn = su reporte
        spokenNeedsHelp = «Necesito ayuda»
        spokenSafe = «Estoy a salvo»
        spokenSos = SOS
        stateChecking = En comprobación
        stateLocated = Ubicación conocida
        stateNeedsHelp = Necesita ayuda
        stateOffSite = Fuera del recinto
        stateSafe = A salvo
        stateSeemsToHaveLeft = Parece haber salido
        stateSos = SOS
        stateUnknown = Estado desconocido
        stateUnsafe = No está a salvo
        statusCallUnsent = Su petición de ayuda sigue en este teléfono: lo que dice el servidor es anterior
        statusDoubt = En duda: {doubt}
        statusGuessCalling = Su petición de ayuda sigue vigente, esté donde esté.
        statusGuessElsewhere = Este teléfono cree que usted está dentro de {place}, y en ningún punto de \
        reunión. El servidor no lo ha confirmado.
        statusGuessInside = Este teléfono cree que usted está dentro de {place}. El servidor no lo ha \
        confirmado.
        statusGuessOutside = Este teléfono cree que usted no está en ningún punto de reunión. El servidor \
        no lo ha confirmado.
        statusGuessTitle = Lo que supone este teléfono
        statusMayHaveChanged = Puede haber cambiado: este teléfono no tiene señal del servidor.
        statusNotFollowed = No le sigue a usted: nadie sabe por él si está a salvo.
        statusNothingYet = El servidor aún no ha dicho cómo le ve.
        statusPaused = Está en pausa hasta {time}, y sus responsables lo leen
        statusSaid = El servidor dijo {age} ({time}):
        statusSays = El servidor dice:
        statusSourceCheckInTimer = No se reportó a tiempo
        statusSourceMarked = Lo dijo {name}
        statusSourceOwnDeclaration = Lo dijo usted
        statusSourcePosition = Su teléfono no está en ningún punto de reunión
        statusSourceRegion = Su teléfono está dentro de {place}
        statusSourceSeemsToHaveLeft = Parece haber salido de {place}
        statusSourceSilence = Últimamente no hay señal de su teléfono
        statusSourceUnderReview = Está calculando de nuevo dónde está, porque se editaron puntos de reunión
        statusSourceUnlocated = No se conoce bien dónde está su teléfono
        tabIncident = Incidente
        tabMap = Mapa
        tabNow = Ahora
        tabPeople = Personas
        tabPhone = Este teléfono
        tabRegions = Zonas
        tabSeen = Quién me ve
        tabWay = Camino
        tallyAccounted = {accounted} de {people} personas contabilizadas
        tallyChecking = {count} en comprobación
        tallyUnaccounted = {count} sin contabilizar
        textPercent = {number}\u{A0}%
        textQuoted = «{text}»
        timeDays.one = {count} día
        timeDays.other = {count} días
        timeDaysAgo.one = hace {count} día
        timeDaysAgo.other = hace {count} días
        timeHours = {count} h
        timeHoursAgo = hace {count} h
        timeMinutes = {count} min
        timeMinutesAgo = hace {count} min
        timeNever = nunca
        timeNow = ahora
        timeSeconds = {count} s
        timeSecondsAgo = hace {count} s
        timerAlone = ¿Trabaja a solas?
        timerAskEnd = ¿Terminar su temporizador? No se avisará a nadie si usted no se reporta.
        timerCheckIn = Reportarme
        timerDue = debe reportarse desde {time}
        timerEnd = Terminar temporizador
        timerEvery = Me reporto cada
        timerLabel = Temporizador para reportarse
        timerMinutes120 = 2 horas
        timerMinutes15 = 15 minutos
        timerMinutes30 = 30 minutos
        timerMinutes60 = hora
        timerNext = próximo reporte: {time}
        timerNotUnderstood = temporizador: en un estado que esta versión de la aplicación no conoce
        timerOrderEnd = su temporizador ha terminado
        timerOrderStart = su temporizador está en marcha
        timerOverdue = sin reporte desde {time}, responsables avisados
        timerSos = sin reporte desde {time}
        timerStart = Iniciar temporizador
        timerWhat = ¿Qué hace y dónde?
        timerYouAreDue = Debe reportarse desde {time}. Repórtese o se avisará a sus responsables
        timerYouAreOverdue = Debe reportarse desde {time}. Repórtese: ya se avisó a sus responsables
        timerYours = Su temporizador: {words}
        trackingAsking = Esperando la primera posición. Si el teléfono pregunta, permítelo.
        trackingAway = No se alcanza el servidor. Lo que espera se envía por sí solo.
        trackingBusy = El servidor no acepta nada ahora, y se le pregunta de nuevo: {reason}
        trackingCoarse = Solo llegan posiciones aproximadas. Muestran dónde no puedes estar, y nunca que \
        estás a salvo. Permite la ubicación exacta para esta aplicación en los ajustes.
        trackingDenied = No se comunica tu posición: el teléfono no deja que esta aplicación la sepa. \
        Permite la ubicación para esta aplicación en los ajustes.
        trackingFix = Posición de las {time}, con un margen de {length}
        trackingFixOnly = Posición de las {time}
        trackingNoPosition = El teléfono no puede determinar su posición ahora.
        trackingNothingWaits = Nada espera al servidor
        trackingOff = No se informa de su posición.
        trackingOn = Se comunica tu posición, también con la aplicación cerrada si lo permitiste.
        trackingPaused = En pausa hasta {time}: esta aplicación no registra su posición. Después continúa \
        por sí sola, y enseguida si usted termina la pausa, en un incidente, si su reporte está atrasado o \
        si pide ayuda.
        trackingRefused.one = El servidor no aceptó {count} posición. Se conserva en este teléfono.
        trackingRefused.other = El servidor no aceptó {count} posiciones. Se conservan en este teléfono.
        trackingSentAt = último envío a las {time}
        trackingSignedOut = Su sesión ha terminado. Las posiciones se siguen guardando aquí. Inicie sesión \
        de nuevo y se enviarán.
        trackingStorageFull = Este teléfono no tiene espacio. Las posiciones nuevas esperan en memoria y se \
        pierden al cerrar la aplicación. Libera espacio.
        trackingTitle = Dónde está usted
        trackingTurnOff = Dejar de informar
        trackingTurnOn = Informar de mi posición
        visibleAdmin = {name}, administra el servidor
        visibleAnalyst = {name}, analista
        visibleBefore = Es lo que dijo el servidor antes de perderse la conexión. Puede haber cambiado.
        visibleEnd = Terminar la pausa
        visibleLabel = Quién puede ver dónde está
        visibleLeader = {name}, responsable de su equipo
        visibleLink = Quien tenga un enlace
        visibleLinkIncident = Quien tenga un enlace al incidente
        visibleLinkPerson = Quien tenga un enlace que le muestra a usted
        visibleMadeBy = de {name}
        visibleMinutes240 = 4 horas
        visibleMinutes30 = 30 minutos
        visibleMinutes60 = 1 hora
        visibleNobody = Nadie más que usted.
        visibleNote = Por qué, si quiere: lo leen sus responsables
        visibleOffline = Eso solo lo sabe el servidor, y no hay conexión con él.
        visibleOld = Este servidor es demasiado antiguo para decir quién le ve.
        visibleOrderEnd = terminar la pausa
        visibleOrderPause = pausa hasta {time}
        visiblePause = Pausa
        visiblePaused = Está en pausa hasta {time}, y sus responsables lo leen. Hasta entonces esta \
        aplicación no registra su posición.
        visiblePausedUrgent = Está en pausa hasta {time}, y sus responsables lo leen. Esta aplicación \
        comunica su posición de todos modos, porque le llaman, pide ayuda o su reporte está atrasado.
        visibleToken = Quien tenga un token de su dispositivo {device}
        visibleUntil = hasta {time}
        visibleWhat = Durante un rato esta aplicación no registra su posición, y sus responsables leen por \
        qué no hay señal de usted. Lo que comunique otra aplicación u otro dispositivo suyo se ve como \
        siempre.
        visitorAdd = Añadir a la lista
        visitorName = Nombre
        visitorNeedsHelp = Necesita ayuda
        visitorNote = Nota: dónde estaba, a quién visita
        visitorOffSite = Fuera del recinto
        visitorSafe = A salvo
        visitorState = Cómo está
        visitorTitle = Visitante en la lista de recuento de {team}
        visitorUnaccounted = Aún no se ha encontrado
        waitingSendNow = Enviar ahora
        waitingTitle = Lo que espera a enviarse
        wayAccuracy = Su posición se conoce con un margen de {length}.
        wayAtEdge = Puede que esté dentro de {place}, pero no se sabe con certeza. Siga hacia el centro.
        wayByCompass = La flecha gira con la brújula.
        wayByNorth = La flecha no gira: el norte está arriba.
        wayByWalk = La flecha gira con la dirección en la que camina.
        wayByBeacon = Una baliza de radio decide quién está en {place}: quédese cerca de ella.
        wayDenied = Esta aplicación no puede saber dónde está el teléfono, así que no hay distancia. Los \
        puntos de encuentro están en el mapa.
        wayHere = ya está ahí
        wayInside = Según este teléfono, usted está dentro de {place}. Si cuenta como a salvo lo dice el \
        servidor.
        wayLooks = Se está averiguando dónde está este teléfono. Los puntos de reunión están en el mapa.
        wayNear = Puede que ya esté en {place}. La dirección no se conoce con certeza.
        wayNearest = Mostrar otra vez el más cercano
        wayNoAccuracy = No se sabe con qué exactitud se conoce su posición.
        wayNoFix = Este teléfono no comunica dónde está, así que no se conoce la distancia. Los puntos de \
        reunión están en el mapa.
        wayNoPoints = Su equipo no tiene ningún punto de reunión.
        wayNotHeard = El servidor aún no ha dicho qué puntos de reunión hay.
        wayOld = Esta es su posición de las {time}, {age}. No se sabe dónde está ahora.
        wayOthers = Otros puntos de reunión
        wayRoughCompass = La brújula no es exacta (±{degrees}°). Mueva el teléfono en forma de 8.
        wayStraight = {length}, en línea recta
        wayTitle = Camino al punto de reunión
        wayTurnAhead = delante de usted
        wayTurnAheadLeft = delante a su izquierda
        wayTurnAheadRight = delante a su derecha
        wayTurnBehind = detrás de usted
        wayTurnBehindLeft = detrás de usted a la izquierda
        wayTurnBehindRight = detrás de usted a la derecha
        wayTurnLeft = a su izquierda
        wayTurnRight = a su derecha
        wayWasAtEdge = Puede que entonces estuviera dentro de {place}, pero no se sabe con certeza.
        wayWasInside = Según este teléfono, entonces usted estaba dentro de {place}.
        widgetStatus = Mi estado
        widgetStatusWhat = Cómo te ve el servidor y desde cuándo.
        widgetWay = Punto de encuentro
        widgetWayWhat = A qué distancia y en qué dirección está el punto de encuentro más cercano.
        windEast = este
        windNorth = norte
        windNorthEast = noreste
        windNorthWest = noroeste
        windSouth = sur
        windSouthEast = sureste
        windSouthWest = suroeste
        windWest = oeste
        """
}

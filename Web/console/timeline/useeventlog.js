/** The events that the timeline lists, as a hook: those of the feed, and earlier ones when they are asked for. */
import { eventOf } from "../shared/eventlog.js";
import { faultWords } from "../shared/faults.js";
import { useEffect, useMemo, usePage, useRef, useSlice, useState } from "../shared/view.js";
import { EventHistory } from "./eventhistory.js";
import { openAt } from "./moment.js";

/** How often it is noted how far the feed has come, though nothing is told of what it brings. */
const noteEveryMs = 2000;
const retryMs = 3000;

/**
 * @param {object[]|undefined} incidents those of all teams, by which an event is told as it was; undefined until they
 *     are here
 * @param {(event: object) => boolean} isWanted a look back goes on until it has some of these
 * @returns {import("./eventhistory.js").Found & {isBusy: boolean, fault: string, older: () => void}}
 */
export function useEventLog(incidents, isWanted) {
    const { request, store } = usePage();
    const known = useRef();
    known.current = incidents;
    const [state, setState] = useState({ isBusy: false, fault: "" });
    const [version, setVersion] = useState(0);
    const log = useMemo(() => incidents && new EventHistory({
        get: async (path) => (await request(path)).json(), sequence: store.value.live.sequence,
        eventOf: (change) => eventOf(
            { ...store.value.live, incidents: openAt(known.current, Date.parse(change.at)) }, change),
    }), [incidents !== undefined]);
    const draw = () => setVersion((count) => count + 1);
    const busy = useRef(false);
    const older = async () => {
        if (busy.current) { return; }
        busy.current = true;
        setState({ isBusy: true, fault: "" });
        const fault = await log.older(isWanted).then(() => "", faultWords);
        draw();
        // Until these are drawn: a screen reader reads what comes, and not what was.
        await new Promise((drawn) => { setTimeout(drawn, 100); });
        busy.current = false;
        setState({ isBusy: false, fault });
    };
    useEffect(() => { if (log) { older(); } }, [log]);
    useFeed(log, draw);
    const found = useMemo(() => log?.found ?? { events: [], isWhole: false, isTrimmed: false }, [log, version]);
    return { ...found, isBusy: state.isBusy || !log, fault: state.fault, older };
}

/** Takes what the feed tells. After a cut, or when the state was loaded anew, what it did not tell is read. */
function useFeed(log, draw) {
    const { store } = usePage();
    const { events, snapshot, state } = useSlice(({ live, connection }) => (
        { events: live.events, snapshot: live.presenceSequence, state: connection.state }));
    const known = useRef(snapshot);
    const isBehind = useRef(false);
    if (state !== "live" || snapshot !== known.current) { isBehind.current = true; }
    known.current = snapshot;
    useEffect(() => {
        if (!log) { return undefined; }
        const take = () => {
            const { live } = store.value;
            if (!isBehind.current && live.presenceSequence === known.current) { log.take(live.events, live.sequence); }
        };
        take();
        draw();
        const timer = setInterval(take, noteEveryMs);
        return () => clearInterval(timer);
    }, [log, events]);
    useEffect(() => {
        if (!log || state !== "live" || !isBehind.current) { return undefined; }
        let timer;
        const catchUp = () => log.catchUp(store.value.live.sequence).then(
            () => { isBehind.current = false; draw(); }, () => { timer = setTimeout(catchUp, retryMs); });
        catchUp();
        return () => clearTimeout(timer);
    }, [log, state, snapshot]);
}

/** A map in a component: it opens when the component is first drawn, and closes with the component. */
import { useEffect, useRef, useState } from "../shared/view.js";
import { NoMap } from "./ground.js";

/**
 * @template OpenMap
 * @param {(container: HTMLElement) => Promise<OpenMap>} open
 * @param {(map: OpenMap) => (() => void) | void} [begin] called with the map once it is open; the function that it
 *     returns is called before the map is closed
 * @param {boolean} [isWanted] whether to open a map at all
 * @returns {{container: object, map: OpenMap|undefined, message: string}} `container`: the `ref` of the map's element;
 *     `message`: why there is no map; empty if there is one
 */
export function useMap(open, begin, isWanted = true) {
    const container = useRef();
    const [map, setMap] = useState();
    const [message, setMessage] = useState("");
    useEffect(() => {
        if (!isWanted) { return undefined; }
        let isGone = false;
        let end = () => {};
        open(container.current).then((opened) => {
            if (isGone) { opened.close(); return; }
            const ended = begin?.(opened);
            end = () => { ended?.(); opened.close(); };
            setMap(opened);
        }).catch((error) => {
            if (!(error instanceof NoMap)) { throw error; }
            if (!isGone) { setMessage(error.message); }
        });
        return () => {
            isGone = true;
            end();
            setMap(undefined);
        };
    }, [isWanted]);
    return { container, map, message };
}

/** Preact and htm, and how a component reads the store: a panel needs nothing else. */
import {
    Component, createContext, html, render, useContext, useEffect, useLayoutEffect, useMemo, useReducer, useRef,
    useState,
} from "../../vendor/preact/preact-htm.js";
import { areSame } from "./store.js";

export { Component, html, render, useEffect, useLayoutEffect, useMemo, useRef, useState };

/** What all components of a page may use: `{store, …}`; `console/app.js` says what there is. */
export const PageContext = createContext(undefined);

/** The page that a component is part of. */
export function usePage() {
    return useContext(PageContext);
}

/**
 * What a component shows of the store; the component is drawn again when that has changed, and for no other change.
 * @template Slice
 * @param {(value: object) => Slice} select one member, or an object of a few: its members are compared, each by `===`
 * @returns {Slice}
 */
export function useSlice(select) {
    const { store } = usePage();
    const [, draw] = useReducer((count) => count + 1, 0);
    const shown = useRef();
    const slice = select(store.value);
    shown.current = { select, slice };
    useLayoutEffect(() => {
        const look = (value) => {
            if (!areSame(shown.current.select(value), shown.current.slice)) { draw(); }
        };
        // What changed between drawing and subscribing.
        look(store.value);
        return store.subscribe(look);
    }, [store]);
    return slice;
}

let ids = 0;

/** An id for an element that stays the same as long as the component is shown. */
export function useId() {
    const id = useRef();
    id.current ??= `made-${ids += 1}`;
    return id.current;
}

/** The server's time in milliseconds, again every few seconds: for ages. */
export function useNow(everyMs = 5000) {
    const { serverNow } = usePage();
    const [now, setNow] = useState(serverNow);
    useEffect(() => {
        const timer = setInterval(() => setNow(serverNow()), everyMs);
        return () => clearInterval(timer);
    }, [everyMs]);
    return now;
}

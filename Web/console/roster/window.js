/** The rows of a long list that are in sight: only they are drawn. With the keys that move between rows. */
import { useLayoutEffect, useRef, useState } from "../shared/view.js";

/** As many rows are drawn above and below those in sight, so that a turn of the wheel meets rows. */
const margin = 4;

/** Which rows are in sight. Pure. @returns {{first: number, last: number}} `last` is behind the last */
export function rowsInSight({ scrollTop, height, rowHeight, count }) {
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
    const last = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + margin);
    return { first: Math.min(first, Math.max(0, count - 1)), last: Math.max(last, Math.min(count, 1)) };
}

/** The row that a key leads to from another; undefined for a key that leads nowhere. Pure. */
export function rowAfterKey(key, index, { count, page }) {
    const moved = {
        ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + page, PageUp: index - page, Home: 0, End: count - 1,
    }[key];
    return moved === undefined ? undefined : Math.min(Math.max(0, moved), count - 1);
}

/**
 * The rows to draw: those in sight, and the one that has the focus, wherever it has moved. Each row is named by a key,
 * in `data-user`, since its index changes when people change.
 * @param {object} options
 * @param {{current?: HTMLElement}} options.list what scrolls
 * @param {string[]} options.keys of all rows, in order
 * @param {number} options.rowHeight in pixels, of each row
 * @param {string} [options.wanted] the row to bring in sight, once
 * @param {boolean} [options.isPageHeld] whether the page is not scrolled for the wanted row, but only the list
 * @returns {{rows: number[], tabStop: number, onScroll: Function, onKeyDown: Function, onFocusIn: Function}} `rows` are
 *     indices, ascending; `tabStop` is that of the one row that the Tab key reaches
 */
export function useWindow({ list, keys, rowHeight, wanted, isPageHeld = false }) {
    const count = keys.length;
    const [sight, setSight] = useState({ scrollTop: 0, height: 800 });
    const [focused, setFocused] = useState();
    const isMoving = useRef(false);
    // A row that is put elsewhere among the others loses the focus to nobody.
    const held = list.current?.contains(document.activeElement) ? document.activeElement : undefined;
    const look = () => {
        const { scrollTop, clientHeight: height } = scroller(list.current);
        // A step of whole rows: a scroll by less draws nothing anew.
        const next = { scrollTop: Math.floor(scrollTop / rowHeight) * rowHeight, height };
        setSight((was) => (was.scrollTop === next.scrollTop && was.height === next.height ? was : next));
    };
    useLayoutEffect(() => {
        look();
        const sizes = new ResizeObserver(look);
        sizes.observe(list.current);
        addEventListener("scroll", look, { passive: true });
        return () => { sizes.disconnect(); removeEventListener("scroll", look); };
    }, []);
    useLayoutEffect(() => {
        const index = wanted === undefined ? -1 : keys.indexOf(wanted);
        if (index < 0 || (isPageHeld && !isScrolling(list.current))) { return; }
        bringIntoSight(list.current, index, rowHeight);
        look();
    }, [wanted]);
    useLayoutEffect(() => {
        if (isMoving.current) {
            isMoving.current = false;
            list.current.querySelector(`[data-user="${CSS.escape(focused)}"] .person`)?.focus({ preventScroll: true });
        } else if (held?.isConnected && document.activeElement === document.body) {
            held.focus({ preventScroll: true });
        }
    });
    const onKeyDown = (event) => {
        const row = event.target.closest?.("[aria-rowindex]");
        if (!row || event.altKey || event.ctrlKey || event.metaKey) { return; }
        const page = Math.max(1, Math.floor(sight.height / rowHeight) - 1);
        const next = rowAfterKey(event.key, keys.indexOf(row.dataset.user), { count, page });
        if (next === undefined) { return; }
        event.preventDefault();
        isMoving.current = true;
        setFocused(keys[next]);
        bringIntoSight(list.current, next, rowHeight);
        look();
    };
    const onFocusIn = ({ target }) => setFocused(target.closest("[data-user]")?.dataset.user);
    const { first, last } = rowsInSight({ ...sight, rowHeight, count });
    const index = focused === undefined ? -1 : keys.indexOf(focused);
    const rows = Array.from({ length: last - first }, (_, row) => first + row);
    if (index >= 0 && index < first) { rows.unshift(index); }
    if (index >= last) { rows.push(index); }
    return { rows, tabStop: index < 0 ? first : index, onScroll: look, onKeyDown, onFocusIn };
}

/** Whether the list scrolls by itself. On a phone it is as long as its rows, and the page scrolls. */
function isScrolling(list) {
    return list.scrollHeight > list.clientHeight + 1;
}

function scroller(list) {
    if (isScrolling(list)) { return list; }
    const { top } = list.getBoundingClientRect();
    return { scrollTop: Math.max(0, -top), clientHeight: innerHeight };
}

function bringIntoSight(list, index, rowHeight) {
    const top = index * rowHeight;
    if (isScrolling(list)) {
        const isAbove = top < list.scrollTop;
        if (isAbove) { list.scrollTop = top; }
        if (top + rowHeight > list.scrollTop + list.clientHeight) {
            list.scrollTop = top + rowHeight - list.clientHeight;
        }
        return;
    }
    const from = list.getBoundingClientRect().top + top;
    if (from < 0 || from + rowHeight > innerHeight) { scrollBy(0, from - innerHeight / 3); }
}

/**
 * A short notice at the foot of the page: confirms an action, and may offer to undo it or to follow what it began.
 * A newer notice replaces an older one.
 */
import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './notice.module.css';

export type Notice = { text: ReactNode; link?: ReactNode; undo?: () => unknown };

/** Long enough to read it. */
const SHOWN_MS = 12_000;
/** Long enough to reach, by a screen reader and a keyboard, what is offered nowhere else (WCAG 2.2.1). */
const SHOWN_WITH_OFFER_MS = 60_000;

let currentNotice: (Notice & { number: number }) | undefined;
let shownCount = 0;
const listeners = new Set<() => void>();

export function showNotice(notice: Notice | undefined): void {
  currentNotice = notice && { ...notice, number: (shownCount += 1) };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Notices() {
  const notice = useSyncExternalStore(subscribe, () => currentNotice);
  return (
    <div role="status" className={styles.place}>
      {notice && <ShownNotice key={notice.number} notice={notice} />}
    </div>
  );
}

function ShownNotice({ notice }: { notice: Notice }) {
  const { text, link, undo } = notice;
  // The time starts again when the pointer and the focus have left the notice.
  const [isHovered, setHovered] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isUsed = isHovered || isFocused;
  useEffect(() => {
    if (isUsed) return undefined;
    const shownMs = notice.link || notice.undo ? SHOWN_WITH_OFFER_MS : SHOWN_MS;
    const timer = setTimeout(() => showNotice(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [notice, isUsed]);
  return (
    <div
      className={styles.notice}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <span className={styles.text}>
        {text}
        {link && <> {link}</>}
      </span>
      {undo && (
        <Button
          onPress={() => {
            showNotice(undefined);
            undo();
          }}
        >
          Undo
        </Button>
      )}
      <Button kind="quiet" aria-label="Close this notice" onPress={() => showNotice(undefined)}>
        ✕
      </Button>
    </div>
  );
}

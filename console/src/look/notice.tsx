/** A short notice at the foot of the page: confirms an action, and may offer to undo it. A newer notice replaces an older one. */
import { useEffect, useSyncExternalStore, type ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './notice.module.css';

export type Notice = { text: ReactNode; undo?: () => unknown };

/** Long enough to read it and to reach for the button. */
const SHOWN_MS = 12_000;

let currentNotice: Notice | undefined;
const listeners = new Set<() => void>();

export function showNotice(notice: Notice | undefined): void {
  currentNotice = notice;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Notices() {
  const notice = useSyncExternalStore(subscribe, () => currentNotice);
  useEffect(() => {
    if (!notice) return undefined;
    const timer = setTimeout(() => showNotice(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div role="status" className={styles.place}>
      {notice && (
        <div className={styles.notice}>
          <span className={styles.text}>{notice.text}</span>
          {notice.undo && (
            <Button
              onPress={() => {
                showNotice(undefined);
                notice.undo?.();
              }}
            >
              Undo
            </Button>
          )}
          <Button kind="quiet" aria-label="Close this notice" onPress={() => showNotice(undefined)}>
            ✕
          </Button>
        </div>
      )}
    </div>
  );
}

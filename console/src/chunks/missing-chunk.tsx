/** Replaces a page or dialog whose code did not load: gives the reason, and offers a remedy. */
import { useEffect, useEffectEvent, useState } from 'react';
import { Button } from '../look/button.tsx';
import { Skeleton } from '../look/notes.tsx';
import styles from '../look/notes.module.css';
import { faultOfChunks, reloadOnce, type ChunkError, type ChunkFault } from './lazy-chunk.ts';

const WORDS: Readonly<Record<ChunkFault, string>> = {
  offline: 'You are offline, and this part of the console is not loaded yet.',
  unreachable: 'The server cannot be reached, and this part of the console is not loaded yet.',
  missing: 'This part of the console did not load. Sluice may have been upgraded meanwhile.',
};

const RETRY_MS = 5_000;

type MissingChunkProps = {
  error: ChunkError;
  onLoaded: () => void;
  /** Whether the whole page is missing: reloading it then loses nothing, and happens once automatically. */
  isPage?: boolean;
  /** Ends a dialog. */
  onClose?: (() => void) | undefined;
};

export function MissingChunk({ error, onLoaded, isPage = false, onClose }: MissingChunkProps) {
  const [fault, setFault] = useState<ChunkFault>();

  const showOutcome = (newFault: ChunkFault | undefined) => {
    if (newFault === undefined) return onLoaded();
    if (isPage && newFault === 'missing' && reloadOnce(error)) return;
    setFault(newFault);
  };
  const showFirstOutcome = useEffectEvent(showOutcome);
  // The first retry needs no click: the network may only have been gone for a moment.
  useEffect(() => void reloadChunk(error).then((newFault) => showFirstOutcome(newFault)), [error]);
  const isAway = fault === 'offline' || fault === 'unreachable';
  // A server that comes back is noticed without a click.
  useEffect(() => {
    if (!isAway) return undefined;
    const retry = () => void reloadChunk(error).then((newFault) => showFirstOutcome(newFault));
    const timer = setInterval(retry, RETRY_MS);
    addEventListener('online', retry);
    return () => {
      clearInterval(timer);
      removeEventListener('online', retry);
    };
  }, [error, isAway]);

  if (!fault) return onClose ? null : <Skeleton rows={isPage ? 8 : 2} />;
  return (
    <div role="alert" className={onClose ? `${styles.failure} ${styles.over}` : styles.failure}>
      <p>{WORDS[fault]}</p>
      {fault === 'missing' ? (
        // The browser asks first where a form has text that is not saved.
        <Button kind="primary" onPress={() => location.reload()}>
          Load again
        </Button>
      ) : (
        <Button kind="primary" onPress={() => void reloadChunk(error).then(showOutcome)}>
          Try again
        </Button>
      )}
      {onClose && (
        <Button kind="quiet" onPress={onClose}>
          Close
        </Button>
      )}
    </div>
  );
}

/** Tries to load the code again. @returns the reason if it does not load; undefined once it is loaded */
async function reloadChunk({ retry }: ChunkError): Promise<ChunkFault | undefined> {
  const fault = await faultOfChunks();
  if (fault !== 'missing') return fault;
  return retry().then(
    () => undefined,
    () => fault,
  );
}

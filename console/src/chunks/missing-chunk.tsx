/** Stands where a page or a dialog would be whose code did not arrive, says why, and offers what helps. */
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

type MissingChunkProps = {
  error: ChunkError;
  onLoaded: () => void;
  /** Whether the whole page is missing: loading it again then loses nothing, and is done once without a question. */
  isPage?: boolean;
  /** Ends a dialog. */
  onClose?: (() => void) | undefined;
};

export function MissingChunk({ error, onLoaded, isPage = false, onClose }: MissingChunkProps) {
  const [fault, setFault] = useState<ChunkFault>();

  const settle = (found: ChunkFault | undefined) => {
    if (found === undefined) return onLoaded();
    if (isPage && found === 'missing' && reloadOnce(error)) return;
    setFault(found);
  };
  const settleFirst = useEffectEvent(settle);
  // At once, because the network may only have been gone for a moment.
  useEffect(() => void arrivalOf(error).then((found) => settleFirst(found)), [error]);

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
        <Button kind="primary" onPress={() => void arrivalOf(error).then(settle)}>
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

/** Tries to load the code again. @returns what keeps it away; undefined: it is there */
async function arrivalOf({ retry }: ChunkError): Promise<ChunkFault | undefined> {
  const fault = await faultOfChunks();
  if (fault !== 'missing') return fault;
  return retry().then(
    () => undefined,
    () => fault,
  );
}

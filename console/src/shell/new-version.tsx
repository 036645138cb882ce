import { useEffect, useState } from 'react';
import { Button } from '../look/button.tsx';
import styles from './new-version.module.css';

/** A page that was not loaded yet is gone after an upgrade: its file has another name. Offers to load again instead of a blank page. */
export function NewVersion() {
  const [isNew, setNew] = useState(false);
  useEffect(() => {
    const show = (event: Event) => {
      event.preventDefault();
      setNew(true);
    };
    addEventListener('vite:preloadError', show);
    return () => removeEventListener('vite:preloadError', show);
  }, []);
  if (!isNew) return null;
  return (
    <div className={styles.bar} role="alert">
      Sluice was upgraded while this page was open.
      <Button kind="primary" onPress={() => location.reload()}>
        Load again
      </Button>
    </div>
  );
}

import { Button } from '../../look/button.tsx';
import { CopyLine } from '../../look/copy.tsx';
import styles from '../settings.module.css';

/** A secret that the API does not return again. */
export function ShownOnce({ label, value, onClose }: { label: string; value: string; onClose: () => void }) {
  return (
    <div role="status" className={styles.section}>
      <p className={styles.note}>
        This is the key <strong className={styles.name}>{label}</strong>. Copy it now: it is not shown again.
      </p>
      <CopyLine text={value}>
        <Button kind="quiet" onPress={onClose}>
          I have copied it
        </Button>
      </CopyLine>
    </div>
  );
}

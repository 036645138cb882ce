import { Button } from '../../look/button.tsx';
import { Copy } from '../../look/copy.tsx';
import styles from '../settings.module.css';

/** A secret that no later answer has. */
export function ShownOnce({ label, value, onClose }: { label: string; value: string; onClose: () => void }) {
  return (
    <div role="status" className={styles.section}>
      <p className={styles.note}>
        This is the key <strong className={styles.name}>{label}</strong>. Copy it now: it is not shown again.
      </p>
      <div className={styles.secret}>
        <code className="id">{value}</code>
        <Copy text={value} kind="plain">
          Copy
        </Copy>
        <Button kind="quiet" onPress={onClose}>
          I have copied it
        </Button>
      </div>
    </div>
  );
}

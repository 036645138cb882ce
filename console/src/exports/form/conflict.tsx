/** Two edits of the same export side by side: nothing is saved until a person has chosen. */
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import type { DestinationType } from './destination-types.ts';
import { differencesBetween } from './differences.ts';
import type { Fields } from './draft.ts';
import styles from './form.module.css';

type ConflictProps = {
  /** The export as it was when the edit began, as it is now, and as the form has it. */
  base: Fields;
  theirs: Fields;
  ours: Fields;
  type: DestinationType | undefined;
  /** Saves the changes of the form over the export as it is now. */
  onSave: () => void;
  onKeepTheirs: () => void;
  onClose: () => void;
};

export function Conflict({ base, theirs, ours, type, onSave, onKeepTheirs, onClose }: ConflictProps) {
  const [their, own] = [theirs, ours].map((one) => differencesBetween(base, one, type));
  const attrs = [...new Set([...their!, ...own!].map(({ attr }) => attr))];
  const rows = attrs.map((attr) => {
    const [one, other] = [their, own].map((all) => all!.find((difference) => difference.attr === attr));
    return { attr, what: (one ?? other)!.what, before: (one ?? other)!.from, theirs: one?.to, ours: other?.to };
  });
  const isDisputed = rows.some((row) => row.theirs !== undefined && row.ours !== undefined && row.theirs !== row.ours);
  return (
    <Dialog title="Two edits of the same" isOpen onClose={onClose} width="wide">
      <p>Somebody saved this export while you were editing it. What you typed is kept.</p>
      <div className={styles.conflict} role="region" aria-label="Both edits" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">They saved</th>
              <th scope="col">You typed</th>
              <th scope="col">Before</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.attr}>
                <th scope="row">{row.what}</th>
                <td>{row.theirs ?? <span className="quiet">unchanged</span>}</td>
                <td>{row.ours ?? <span className="quiet">unchanged</span>}</td>
                <td className="quiet">{row.before}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Actions>
        <Button kind="primary" onPress={onSave}>
          {isDisputed ? 'Save mine over it' : 'Save both'}
        </Button>
        <Button onPress={onKeepTheirs}>Keep theirs, drop mine</Button>
        <Button kind="quiet" onPress={onClose}>
          Go on editing
        </Button>
      </Actions>
    </Dialog>
  );
}

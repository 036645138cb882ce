import { useState } from 'react';
import { areLettersOn, presentKeys, switchLetters } from '../keys/keys.ts';
import { Dialog } from '../look/dialog.tsx';
import { Switch } from '../look/field.tsx';
import { areRowsCompact, setRowsCompact } from './density.ts';
import styles from './help-dialog.module.css';

const NAMES: Readonly<Record<string, string>> = { Escape: 'Esc' };

/** Keys of the present page, and the switch for those that are single letters. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const [keys] = useState(presentKeys);
  const [isOn, setOn] = useState(areLettersOn);
  const [isCompact, setCompact] = useState(areRowsCompact);
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
      <dl className={styles.keys}>
        <div>
          <dt>
            <kbd>Ctrl K</kbd> or <kbd>⌘ K</kbd>
          </dt>
          <dd>Find an export, a flag, a dashboard, a page or an action</dd>
        </div>
        {keys.map(({ key, does }) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((name) => (
                <kbd key={name}>{NAMES[name] ?? name}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>Enter</kbd>
          </dt>
          <dd>Open the focused row or link</dd>
        </div>
      </dl>
      <Switch
        isSelected={isOn}
        onChange={(next) => {
          switchLetters(next);
          setOn(next);
        }}
      >
        Single-key shortcuts
      </Switch>
      <Switch
        isSelected={isCompact}
        onChange={(next) => {
          setRowsCompact(next);
          setCompact(next);
        }}
      >
        Compact rows
      </Switch>
      <p className="quiet">
        Saved in this browser. Turn single keys off if you use dictation or a screen reader that needs single letters.
      </p>
    </Dialog>
  );
}

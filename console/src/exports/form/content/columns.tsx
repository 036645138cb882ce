/** The columns of an export: all of the model, all but some, or only some. */
import { useState } from 'react';
import { Checkbox } from '../../../look/edits/checkbox.tsx';
import { Select } from '../../../look/select.tsx';
import type { Model } from '../destination-types.ts';
import type { Draft } from '../draft.ts';
import styles from '../form.module.css';
import { useProblem } from '../problem.ts';

type ColumnsProps = {
  draft: Pick<Draft, 'include_columns' | 'exclude_columns'>;
  set: (change: Partial<Draft>) => void;
  model: Model;
  /** Whether the destination writes files, which by default get fewer columns than tables. */
  isOfFiles: boolean;
};

const CHOICES = [
  { value: 'all', label: 'All default columns' },
  {
    value: 'except',
    label: 'All default columns except some',
    description: 'Includes columns that later versions add.',
  },
  { value: 'only', label: 'Only these' },
];

export function Columns({ draft, set, model, isOfFiles }: ColumnsProps) {
  const problem = useProblem();
  const { include_columns: included, exclude_columns: excluded } = draft;
  const defaults = model.columns.filter((one) => !isOfFiles || !one.tables_only).map(({ name }) => name);
  /** Whether “except some” is chosen: not in the draft, because at first it leaves out nothing. */
  const [wantsSome, setWantsSome] = useState(excluded.length > 0);
  const mode = included !== null ? 'only' : wantsSome ? 'except' : 'all';
  const ticked = (included ?? defaults).filter((name) => !excluded.includes(name));
  const offered = mode === 'only' ? model.columns.map(({ name }) => name) : defaults;
  // Columns that a later version of the model lacks stay visible, so that they can be unticked.
  const shown = [...new Set([...offered, ...(included ?? []), ...excluded])];
  function choose(next: string) {
    if (next === mode) return;
    setWantsSome(next === 'except');
    set({ include_columns: next === 'only' ? ticked : null, exclude_columns: [] });
  }
  function tick(name: string, isOn: boolean) {
    if (mode === 'except')
      return set({ exclude_columns: isOn ? excluded.filter((one) => one !== name) : [...excluded, name] });
    const wanted = isOn ? [...ticked, name] : ticked.filter((one) => one !== name);
    return set({ include_columns: shown.filter((one) => wanted.includes(one)), exclude_columns: [] });
  }
  const error = problem.under('include_columns') ?? problem.under('exclude_columns');
  return (
    <section aria-label="Columns" className={styles.part}>
      <Select label="Columns" options={CHOICES} value={mode} onChange={choose} error={error} />
      {mode !== 'all' && (
        <div role="group" aria-label="Exported columns" className={styles.checks}>
          {shown.map((name) => (
            <Checkbox key={name} isSelected={ticked.includes(name)} onChange={(isOn) => tick(name, isOn)}>
              <span className="id">{name}</span>
            </Checkbox>
          ))}
        </div>
      )}
    </section>
  );
}

/** Fields for values that the export hashes or leaves out. */
import { TextField } from '../../../look/field.tsx';
import { Select } from '../../../look/select.tsx';
import type { Model } from '../destination-types.ts';
import type { Draft, Transformation } from '../draft.ts';
import { useProblem } from '../problem.ts';
import { ItemList } from './item-list.tsx';

type TransformationsProps = {
  draft: Pick<Draft, 'transformations' | 'hash_key'>;
  set: (change: Partial<Draft>) => void;
  model: Model;
  /** Whether the server has a key for hashes; it keeps the key unless another one is typed. */
  hasHashKey: boolean;
};

const ACTIONS = [
  { value: 'drop', label: 'Leave it out' },
  { value: 'hash', label: 'Replace with a hash' },
];

export function Transformations({ draft, set, model, hasHashKey }: TransformationsProps) {
  const problem = useProblem();
  const { transformations: all, hash_key } = draft;
  const text = problem.under('transformations');
  const refused = all.findIndex((one, index) => isAbout(one, text) || problem.under(`transformations__${index}`));
  const change = (index: number, part: Partial<Transformation>) =>
    set({ transformations: all.map((one, at) => (at === index ? { ...one, ...part } : one)) });
  return (
    <ItemList<Transformation>
      title="Changed values"
      noun="changed value"
      items={all}
      onChange={(transformations) => set({ transformations })}
      newItem={{ path: '', action: 'drop' }}
      addLabel="Leave out or hash a value"
      error={refused < 0 ? text : undefined}
      renderItem={({ path, action }, index, isNew) => (
        <>
          <TextField
            label="Column or property"
            value={path}
            onChange={(next) => change(index, { path: next })}
            suggestions={pathsOf(model)}
            placeholder="properties.$ip"
            autoFocus={isNew}
            autoComplete="off"
            error={refused === index ? text : undefined}
          />
          <Select
            label="What happens"
            options={ACTIONS}
            value={action}
            onChange={(next) => change(index, { action: next as Transformation['action'] })}
          />
        </>
      )}
    >
      {all.some(({ action }) => action === 'hash') && (
        <TextField
          label="Key for hashes"
          type="password"
          autoComplete="new-password"
          value={hash_key}
          onChange={(key) => set({ hash_key: key })}
          placeholder={hasHashKey ? 'unchanged' : 'generated'}
          description={
            hasHashKey
              ? 'A different key gives different hashes for the same values. Leave empty to keep the current one.'
              : 'At least 16 characters: the same key gives the same hashes in other exports. Leave empty to generate one.'
          }
          error={problem.at('hash_key')}
        />
      )}
    </ItemList>
  );
}

/** Whether the server's error is about this path: it quotes the path, or the path's column. */
function isAbout({ path }: Transformation, text: string | undefined): boolean {
  if (text === undefined) return false;
  return text.startsWith(`'${path}' `) || text.includes(`'${path.split('.')[0]}'`);
}

function pathsOf({ columns }: Model): string[] {
  return columns.flatMap(({ name, type }) => (type === 'jsonb' ? [name, `${name}.`] : [name]));
}

/** Fields that select and change rows: events by name, filters, columns, changed values, or a query of one's own. */
import { TextField } from '../../../look/field.tsx';
import { attrOf, type DestinationType, type Model } from '../destination-types.ts';
import { FieldInput } from '../destination-fields.tsx';
import type { Draft } from '../draft.ts';
import styles from '../form.module.css';
import { More } from '../more.tsx';
import { quantity } from '../../words/quantity.ts';
import { useProblem } from '../problem.ts';
import { Columns } from './columns.tsx';
import { Filters } from './filters.tsx';
import { Transformations } from './transformations.tsx';

type ContentProps = {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  model: Model;
  type: DestinationType | undefined;
  /** Absent while the configuration is edited as JSON, which holds the names of events. */
  onConfig?: ((config: Draft['destination']['config']) => void) | undefined;
  hasHashKey: boolean;
};

export function ContentFields({ draft, set, model, type, onConfig, hasHashKey }: ContentProps) {
  const problem = useProblem();
  const { config } = draft.destination;
  const names = type?.fields.filter(({ group }) => group === 'events') ?? [];
  const namesSet = names.filter(({ name }) => Array.isArray(config[name]) && config[name].length > 0);
  const hasNames = draft.model === 'events' || namesSet.length > 0;
  const words = [
    ...namesSet.map(({ title }) => title.toLowerCase()),
    draft.filters.length > 0 && quantity(draft.filters.length, 'filter'),
    (draft.include_columns !== null || draft.exclude_columns.length > 0) && 'columns',
    draft.transformations.length > 0 && quantity(draft.transformations.length, 'changed value'),
  ].filter((word) => word !== false);
  return (
    <>
      <More
        title="Filters and columns"
        summary={words.length === 0 ? undefined : words.join(', ')}
        attrs={[
          ...names.map(({ name }) => attrOf(name)),
          'filters',
          'include_columns',
          'exclude_columns',
          'transformations',
          'hash_key',
        ]}
      >
        {onConfig && hasNames && (
          <div className={styles.pair}>
            {names.map((field) => (
              <FieldInput key={field.name} of={field} config={config} onChange={onConfig} hasSecrets={false} />
            ))}
          </div>
        )}
        <Filters filters={draft.filters} onChange={(filters) => set({ filters })} model={model} />
        {draft.hogql_query === null || draft.include_columns !== null || draft.exclude_columns.length > 0 ? (
          <Columns {...{ draft, set, model }} isOfFiles={type?.writes !== 'rows'} />
        ) : (
          <p className="quiet">The custom query determines the columns.</p>
        )}
        <Transformations {...{ draft, set, model, hasHashKey }} />
      </More>
      {(draft.model === 'events' || draft.hogql_query !== null) && (
        <More
          title="Custom query"
          attrs={['hogql_query']}
          summary={draft.hogql_query === null ? undefined : 'instead of the default columns'}
        >
          <TextField
            label="SELECT"
            lines={Math.min(16, Math.max(4, (draft.hogql_query ?? '').split('\n').length + 1))}
            mono
            value={draft.hogql_query ?? ''}
            onChange={(text) => set({ hogql_query: text === '' ? null : text })}
            placeholder="SELECT uuid, properties.$browser AS browser FROM events WHERE event = 'paid'"
            description="One SELECT from events or persons determines the rows and columns. Expressions and WHERE are supported; joins, GROUP BY and subqueries are not."
            error={problem.at('hogql_query')}
          />
        </More>
      )}
    </>
  );
}

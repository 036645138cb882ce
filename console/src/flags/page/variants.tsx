import { TextField } from '../../look/field.tsx';
import { PercentField } from '../percent-field.tsx';
import { formatPercent } from '../words/conditions.ts';
import { Problem } from './condition-sets.tsx';
import styles from './flag-page.module.css';
import { Shares, type Variant } from './ruler.tsx';
import type { Edit } from './use-edit.ts';
import type { Refusal } from './use-refusal.ts';

/** Tolerance for rounding in a sum of floats, such as 33.3 + 33.3 + 33.4. */
const ROUNDING = 1e-6;

/** The variants among which the flag's persons are split. */
export function Variants({ edit, refusal, mayEdit }: { edit: Edit; refusal: Refusal; mayEdit: boolean }) {
  const { multivariate } = edit.fields.filters;
  const variants = multivariate?.variants ?? [];
  if (variants.length === 0) return null;
  const sum = variants.reduce((total, { rollout_percentage }) => total + rollout_percentage, 0);
  const change = (index: number, variant: Partial<Variant>) =>
    edit.setFilters({
      multivariate: {
        ...multivariate,
        variants: variants.map((current, at) => (at === index ? { ...current, ...variant } : current)),
      },
    });
  return (
    <section aria-labelledby="variants">
      <h2 id="variants">Variants</h2>
      <table className={styles.variants}>
        <thead>
          <tr>
            <th>Key</th>
            <th>Name</th>
            <th>Share</th>
          </tr>
        </thead>
        <tbody>
          {variants.map((variant, index) => (
            <tr key={variant.key}>
              <td>
                <code>{variant.key}</code>
                <Problem text={refusal.at(`filters__multivariate__variants__${index}`)} />
              </td>
              <td>
                {mayEdit ? (
                  <TextField
                    label={`Name of ${variant.key}`}
                    isLabelHidden
                    value={variant.name ?? ''}
                    onChange={(name) => change(index, { name })}
                  />
                ) : (
                  variant.name
                )}
              </td>
              <td>
                {mayEdit ? (
                  <PercentField
                    label={`Share of ${variant.key}`}
                    isLabelHidden
                    value={variant.rollout_percentage}
                    onChange={(rollout_percentage) => change(index, { rollout_percentage })}
                  />
                ) : (
                  formatPercent(variant.rollout_percentage)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Shares variants={variants} />
      {Math.abs(sum - 100) > ROUNDING && (
        <Problem text={`The shares add up to ${formatPercent(sum)}: they have to make 100 %.`} />
      )}
    </section>
  );
}

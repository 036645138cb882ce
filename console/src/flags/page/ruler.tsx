/** Rollouts drawn to scale: the range of buckets that a condition set covers, with one person's bucket marked; and the shares of variants. */
import { formatPercent, type Filters } from '../words/conditions.ts';
import styles from './ruler.module.css';

/** A bucket has many digits; two decimals are enough for people. */
export const formatBucket = (bucket: number): string => formatPercent(Number(bucket.toFixed(2)));

/** @param bucket 0 to 100; it is in the rollout if it is at most `percent` */
export function Ruler({ percent, bucket }: { percent: number; bucket: number }) {
  const isInRollout = bucket <= percent;
  return (
    <div
      className={styles.ruler}
      role="img"
      aria-label={`The set takes buckets from 0 to ${formatPercent(percent)}. The bucket ${formatBucket(bucket)} is ${isInRollout ? 'inside' : 'outside'}.`}
    >
      <div className={styles.track}>
        <div className={styles.taken} style={{ width: `${percent}%` }} />
        <div className={styles.bucket} style={{ insetInlineStart: `${bucket}%` }}>
          {isInRollout ? '✓' : '✗'}
        </div>
      </div>
      <div className={styles.scale}>
        <span>0</span>
        {percent > 8 && percent < 90 && (
          <span style={{ insetInlineStart: `${percent}%` }}>{Number(percent.toFixed(1))}</span>
        )}
        <span className={styles.end}>100</span>
      </div>
    </div>
  );
}

export type Variant = NonNullable<NonNullable<Filters['multivariate']>['variants']>[number];

/** @param chosen key of the variant that one person gets */
export function Shares({ variants, chosen }: { variants: readonly Variant[]; chosen?: string }) {
  const words = variants.map(({ key, rollout_percentage }) => `${key} ${formatPercent(rollout_percentage)}`);
  return (
    <div
      className={styles.shares}
      role="img"
      aria-label={`Shares: ${words.join(', ')}.${chosen === undefined ? '' : ` This one gets ${chosen}.`}`}
    >
      {variants.map(({ key, rollout_percentage: share }, index) =>
        share === 0 ? null : (
          <span
            key={key}
            className={`${styles.share} ${key === chosen ? styles.chosen : ''}`}
            style={{ flexGrow: share }}
            title={words[index]}
          >
            {key === chosen && '✓ '}
            {words[index]}
          </span>
        ),
      )}
    </div>
  );
}

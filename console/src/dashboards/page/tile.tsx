import type { CSSProperties } from 'react';
import { LINK_ATTRIBUTES, safeLink } from '../../../../src/analytics/sharing/charts/links.ts';
import { Chunk } from '../../chunks/chunk.tsx';
import { lazyChunk } from '../../chunks/lazy-chunk.ts';
import { Skeleton } from '../../look/notes.tsx';
import { Time } from '../../look/time.tsx';
import type { Tile } from '../dashboards-data.ts';
import { InsightChart } from './insight-chart.tsx';
import styles from './dashboard.module.css';

const Markdown = lazyChunk(() => import('./markdown.tsx'), 'Markdown');

export function DashboardTile({ tile, area }: { tile: Tile; area: string }) {
  const { text, button_tile: button, insight, transparent_background: isClear } = tile;
  return (
    <article
      className={`charts ${styles.tile} ${isClear ? styles.clear : ''}`}
      style={{ '--area': area } as CSSProperties}
    >
      {text && (
        <Chunk fallback={<Skeleton rows={2} />}>
          <Markdown text={text.body ?? ''} />
        </Chunk>
      )}
      {button && <ButtonTile {...button} />}
      {insight && <InsightTile insight={insight} describes={tile.show_description !== false} error={tile.error} />}
    </article>
  );
}

type InsightTileProps = { insight: NonNullable<Tile['insight']>; describes: boolean; error: Tile['error'] };

function InsightTile({ insight, describes, error }: InsightTileProps) {
  if (!('query' in insight)) return <p className="quiet">You may not see this insight.</p>;
  const name = insight.name || insight.derived_name || 'Untitled';
  const failure = error ?? insight.error;
  return (
    <div className={styles.insight}>
      <h2>{name}</h2>
      {describes && insight.description !== '' && <p className="quiet">{insight.description}</p>}
      {failure ? <p className={styles.failed}>{failure.message}</p> : <InsightChart name={name} insight={insight} />}
      {insight.last_refresh !== null && (
        <p className={`quiet ${styles.asOf}`}>
          As of <Time iso={insight.last_refresh} />
        </p>
      )}
    </div>
  );
}

/** A button tile; only its text if its link is not safe. */
function ButtonTile({ url, text, placement }: NonNullable<Tile['button_tile']>) {
  const href = safeLink(url);
  return (
    <p className={placement === 'right' ? styles.right : undefined}>
      {href === undefined ? (
        text
      ) : (
        <a href={href} {...LINK_ATTRIBUTES}>
          {text}
        </a>
      )}
    </p>
  );
}

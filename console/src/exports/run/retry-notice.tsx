/** Retries the intervals that a button counted, and says what came of it. */
import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-aria-components';
import { ApiError, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { showNotice } from '../../look/notice.tsx';
import { receiptAddress, type ExportPath } from '../addresses.ts';
import { backfillQuery } from '../export/plan/plan-data.ts';
import { retriableQuery, retryAll } from './retry-data.ts';
import { countIntervals } from '../words/cadence.ts';

type Asked = { queries: QueryClient; of: ExportPath; interval: string; plan: string };

/** @returns a sentence and a link to the receipt; if the intervals to retry have changed, the offer to retry the present ones */
export async function retryPlanned(asked: Asked): Promise<{ text: string; link?: ReactNode }> {
  const { queries, of, interval, plan } = asked;
  try {
    const { intervals, backfill } = await retryAll(of, plan);
    // Without an answer the notice only lacks its link.
    const receipt =
      backfill && (await queries.fetchQuery(backfillQuery(of.projectId, of.exportId, backfill)).catch(() => undefined));
    const text = `Retrying ${countIntervals(intervals, interval)}.`;
    return receipt ? { text, link: <Link href={receiptAddress(of, receipt)}>Follow the retry</Link> } : { text };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
    const now = await queries.fetchQuery({ ...retriableQuery(of), staleTime: 0 });
    if (now.total === 0) return { text: 'There is nothing left to retry.' };
    const retryNow = () =>
      retryPlanned({ ...asked, plan: now.plan }).then(showNotice, (failure: unknown) =>
        showNotice({ text: messageOf(failure) }),
      );
    const link = <Button onPress={() => void retryNow()}>Retry {countIntervals(now.total, interval)}</Button>;
    return { text: 'Nothing was retried yet: the intervals to retry have changed.', link };
  }
}

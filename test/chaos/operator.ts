/** A restless operator: imports, backfills, retries, cancels, pauses, moves, deletes, and takes freed places again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../kill/random.ts';
import type { ApiClient } from './api-client.ts';
import type { Fleet, Member, Place } from './fleet.ts';
import type { Load } from './load.ts';

const HOUR_MS = 3_600_000;
export const FIRST_HOUR = Date.parse('2015-05-17T00:00:00Z');
export const HOURS = 12;
const MOST_MEMBERS = 12;

export type Operator = {
  /** How often each action was taken. */
  actions: Record<string, number>;
  /** Rejects when an action cannot be taken any more. */
  failed: Promise<never>;
  stop(): Promise<void>;
};

const hourEnd = (hour: number) => new Date(FIRST_HOUR + (hour + 1) * HOUR_MS);
const pathOf = ({ id }: Member, rest = '') => `/batch_exports/${id}/${rest}`;

export function startOperator(fleet: Fleet, api: ApiClient, load: Load, random: Random): Operator {
  const actions: Record<string, number> = {};
  const paused = new Set<string>();
  const freed: Place[] = [];
  const stopping = new AbortController();

  const backfillHours = (member: Member, from: number, to: number) =>
    api.askUntilAnswered('POST', pathOf(member, 'backfill/'), {
      start_at: new Date(FIRST_HOUR + from * HOUR_MS).toISOString(),
      end_at: new Date(FIRST_HOUR + to * HOUR_MS).toISOString(),
    });

  async function runsOf(member: Member, status = ''): Promise<{ id: string }[]> {
    const { body } = await api.askUntilAnswered('GET', pathOf(member, `runs/?limit=20${status}`));
    return (body as { results?: { id: string }[] } | undefined)?.results ?? [];
  }

  const plan: Record<string, { weight: number; act: (member: Member) => Promise<unknown> }> = {
    'import and backfill an hour': {
      weight: 5,
      async act(member) {
        const hour = random.below(HOURS);
        await load.importHistory(member.event, hourEnd(hour), 1 + random.below(200));
        if (!member.live) await backfillHours(member, hour, hour + 1);
      },
    },
    'backfill several hours': {
      weight: 2,
      async act(member) {
        const from = random.below(HOURS - 2);
        if (!member.live) await backfillHours(member, from, from + 1 + random.below(HOURS - from));
      },
    },
    'retry a run': {
      weight: 3,
      async act(member) {
        const runs = await runsOf(member);
        if (runs.length > 0) await api.askUntilAnswered('POST', pathOf(member, `runs/${random.pick(runs).id}/retry/`));
      },
    },
    'cancel a run': {
      weight: 2,
      async act(member) {
        const open = await runsOf(member, '&status=Running&status=Starting');
        if (open.length > 0) await api.askUntilAnswered('POST', pathOf(member, `runs/${random.pick(open).id}/cancel/`));
      },
    },
    'pause or unpause': {
      weight: 2,
      async act(member) {
        if (!member.live) return;
        if (paused.delete(member.id))
          await api.askUntilAnswered('POST', pathOf(member, 'unpause/'), { backfill: true });
        else {
          paused.add(member.id);
          await api.askUntilAnswered('POST', pathOf(member, 'pause/'));
        }
      },
    },
    'change the compression': { weight: 2, act: (member) => fleet.reconfigure(member, member.place) },
    'move to another place': {
      weight: 3,
      async act(member) {
        const { place } = member;
        if (await fleet.reconfigure(member, fleet.newPlace(place.type))) freed.push(place);
      },
    },
    'move an export while a run is staged': {
      weight: 3,
      async act(member) {
        if (member.live) return;
        const { place } = member;
        await load.importHistory(member.event, hourEnd(0), 2_000);
        await backfillHours(member, 0, HOURS);
        await sleep(random.below(1_500));
        if (await fleet.reconfigure(member, fleet.newPlace(place.type))) freed.push(place);
      },
    },
    'delete an export': {
      weight: 1,
      async act(member) {
        if (fleet.alive().length < MOST_MEMBERS / 2) return;
        member.deleted = true;
        await api.askUntilAnswered('DELETE', pathOf(member));
        freed.push(member.place);
      },
    },
    'take a freed place': {
      weight: 4,
      async act() {
        const place = freed.at(-1);
        if (!place || fleet.alive().length >= MOST_MEMBERS) return;
        const made = await fleet.create(place, random.next() < 0.5, random.next() < 0.75 ? 'versioned' : 'stable');
        if (!made) return;
        freed.pop();
        if (!made.live) await load.importHistory(made.event, hourEnd(0), 50);
        if (!made.live) await backfillHours(made, 0, HOURS);
      },
    },
  };
  const names = Object.entries(plan).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name));

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      const alive = fleet.alive();
      const name = random.pick(names);
      await plan[name]!.act(random.pick(alive));
      actions[name] = (actions[name] ?? 0) + 1;
      await sleep(500 + random.below(2_000));
    }
  }

  const working = work();
  return {
    actions,
    failed: working.then(() => new Promise<never>(() => {})),
    async stop() {
      stopping.abort();
      await working;
      // What is paused at the end is delivered like everything else.
      for (const member of fleet.alive())
        if (paused.has(member.id)) await api.askUntilAnswered('POST', pathOf(member, 'unpause/'), { backfill: true });
    },
  };
}

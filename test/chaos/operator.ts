/** A restless operator: imports, backfills, retries, cancels, pauses, moves, deletes, and takes freed places again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import type { ApiClient } from './api-client.ts';
import { isFileType, type Fleet, type Member, type Place } from './fleet.ts';
import type { Load } from './load.ts';

const HOUR_MS = 3_600_000;
export const FIRST_HOUR = Date.parse('2015-05-17T00:00:00Z');
export const HOURS = 12;
const MAX_MEMBERS = 16;
const MAX_STABLE = 4;

export type Operator = {
  /** How often each action was taken; one that found nothing to act on does not count. */
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

  /** @returns whether the API took it: a run may have ended meanwhile, a place may be taken. @throws Error when it may not be asked */
  async function act(method: string, path: string, body?: unknown): Promise<boolean> {
    const { status, body: answer } = await api.askUntilAnswered(method, path, body);
    if (status === 401 || status === 403 || status === 405)
      throw new Error(`${method} ${path} answered ${status} ${JSON.stringify(answer)}`);
    return status < 300;
  }

  const backfillHours = (member: Member, from: number, to: number) =>
    act('POST', pathOf(member, 'backfill/'), {
      start_at: new Date(FIRST_HOUR + from * HOUR_MS).toISOString(),
      end_at: new Date(FIRST_HOUR + to * HOUR_MS).toISOString(),
    });

  async function runsOf(member: Member, status = ''): Promise<{ id: string }[]> {
    return (await api.done<{ results: { id: string }[] }>('GET', pathOf(member, `runs/?limit=20${status}`))).results;
  }

  async function moved(member: Member): Promise<boolean> {
    const { place } = member;
    const hasMoved = await fleet.reconfigure(member, fleet.newPlace(place.type));
    if (hasMoved) freed.push(place);
    return hasMoved;
  }

  /** Findings of readers do not count for an export that was ever stable: most stay versioned. */
  const mayBecomeStable = () => fleet.alive().filter(({ wasStable }) => wasStable).length < MAX_STABLE;

  const plan: Record<string, { weight: number; act: (member: Member) => Promise<boolean> }> = {
    'import and backfill an hour': {
      weight: 5,
      async act(member) {
        const hour = random.below(HOURS);
        await load.importHistory(member.event, hourEnd(hour), 1 + random.below(200));
        return member.live || backfillHours(member, hour, hour + 1);
      },
    },
    'backfill several hours': {
      weight: 2,
      async act(member) {
        const from = random.below(HOURS - 2);
        return !member.live && backfillHours(member, from, from + 1 + random.below(HOURS - from));
      },
    },
    'retry a run': {
      weight: 3,
      async act(member) {
        const runs = await runsOf(member);
        return runs.length > 0 && act('POST', pathOf(member, `runs/${random.pick(runs).id}/retry/`));
      },
    },
    'cancel a run': {
      weight: 2,
      async act(member) {
        const open = await runsOf(member, '&status=Running&status=Starting');
        return open.length > 0 && act('POST', pathOf(member, `runs/${random.pick(open).id}/cancel/`));
      },
    },
    'pause or unpause': {
      weight: 2,
      async act(member) {
        if (!member.live) return false;
        if (paused.delete(member.id)) return act('POST', pathOf(member, 'unpause/'), { backfill: true });
        paused.add(member.id);
        return act('POST', pathOf(member, 'pause/'));
      },
    },
    'change the layout': {
      weight: 1,
      act: async (member) => {
        if (!isFileType(member.place.type) || (member.layout === 'versioned' && !mayBecomeStable())) return false;
        // With runs under way.
        if (!member.live) await backfillHours(member, 0, HOURS);
        return fleet.changeLayout(member);
      },
    },
    'change the compression': { weight: 2, act: (member) => fleet.reconfigure(member, member.place) },
    'move to another place': {
      weight: 3,
      act: moved,
    },
    'move an export while a run is staged': {
      weight: 3,
      async act(member) {
        if (member.live) return false;
        await load.importHistory(member.event, hourEnd(0), 2_000);
        await backfillHours(member, 0, HOURS);
        await sleep(random.below(1_500));
        return moved(member);
      },
    },
    'delete an export': {
      weight: 1,
      async act(member) {
        if (fleet.alive().length < MAX_MEMBERS / 2) return false;
        const { status } = await api.askUntilAnswered('DELETE', pathOf(member));
        // 404: a try before it had no answer.
        if (status !== 204 && status !== 404) throw new Error(`deleting an export answered ${status}`);
        member.deleted = true;
        freed.push(member.place);
        return true;
      },
    },
    'take a freed place': {
      weight: 4,
      async act() {
        const place = freed.at(-1);
        if (!place || fleet.alive().length >= MAX_MEMBERS) return false;
        const made = await fleet.create(place, random.next() < 0.5, random.next() < 0.75 ? 'versioned' : 'stable');
        if (!made) return false;
        freed.pop();
        if (!made.live) await load.importHistory(made.event, hourEnd(0), 50);
        return made.live || backfillHours(made, 0, HOURS);
      },
    },
  };
  const names = Object.entries(plan).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name));

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      const alive = fleet.alive();
      const name = random.pick(names);
      if (await plan[name]!.act(random.pick(alive))) actions[name] = (actions[name] ?? 0) + 1;
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
      // Exports that are paused at the end are delivered like all others.
      for (const member of fleet.alive())
        if (paused.has(member.id)) await api.done('POST', pathOf(member, 'unpause/'), { backfill: true });
    },
  };
}

/**
 * The batch exports under chaos. Each exports the events of one name, so that rows of another are recognised wherever they turn up, or
 * the persons of all events.
 */
import type { Random } from '../support/random.ts';
import { OBJECT_STORE_KEYS } from '../support/servers/object-store.ts';
import type { ApiClient } from './api-client.ts';
import type { Installation } from './installation.ts';
import { BUCKET } from './store.ts';

export const TYPES = ['LocalFile', 'S3Compatible', 'Postgres', 'GCS', 'AzureBlob', 'Iceberg'] as const;
export type PlaceType = (typeof TYPES)[number];
/** Places of files; at the others rows go into tables. */
export type FileType = Exclude<PlaceType, 'Postgres' | 'Iceberg'>;
export const isFileType = (type: PlaceType): type is FileType => type !== 'Postgres' && type !== 'Iceberg';
export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(24, 'chaos').toString('base64')}`;
export type Layout = 'versioned' | 'stable';
export type Model = 'events' | 'persons';

/** Where an export delivers to: a folder, a prefix or a table of this name. */
export type Place = { type: PlaceType; label: string };

export type Member = {
  id: string;
  model: Model;
  /** The export's own name, and that of the events that it exports. */
  event: string;
  place: Place;
  layout: Layout;
  /** Now or before: a run that was planned then may still deliver so. */
  wasStable: boolean;
  /** Every minute, of events as they arrive; otherwise every hour, of history that is imported. */
  live: boolean;
  createdAt: Date;
  deleted: boolean;
};

type Made = { id: string; name: string; created_at: string };

export type Fleet = ReturnType<typeof createFleet>;

export function createFleet(installation: Installation, api: ApiClient, random: Random) {
  const members: Member[] = [];
  const labels: Place[] = [];
  const given = new Set<Place>();
  const counts = { refused: 0 };

  function configOf({ type, label }: Place, { event, model, layout }: Pick<Member, 'event' | 'model' | 'layout'>) {
    const content = model === 'events' ? { include_events: [event] } : {};
    const files = { ...content, compression: isFileType(type) ? random.pick(['gzip', 'zstd', null]) : null, layout };
    if (type === 'LocalFile') return { ...files, directory: label };
    if (type === 'GCS') return { ...files, ...installation.gcs!.config(label) };
    if (type === 'AzureBlob') return { ...files, ...installation.azure!.config(label) };
    if (type === 'Iceberg')
      return { ...content, ...installation.lake!.config(label), compact: random.pick([true, false]) };
    if (type === 'S3Compatible')
      return {
        ...files,
        bucket_name: BUCKET,
        region: 'us-east-1',
        prefix: label,
        endpoint_url: installation.objects.endpoint,
        aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
        aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
      };
    const url = new URL(installation.destination.url());
    return {
      ...content,
      host: url.hostname,
      port: Number(url.port),
      user: url.username,
      password: url.password,
      database: url.pathname.slice(1),
      schema: 'public',
      table_name: label,
    };
  }

  function newPlace(type: PlaceType): Place {
    const place = { type, label: `place_${labels.length}` };
    labels.push(place);
    return place;
  }

  /** An export of a request that had no answer: its second try finds the place taken. */
  async function madeBefore(name: string): Promise<Made | undefined> {
    const { results } = await api.done<{ results: Made[] }>('GET', '/batch_exports/?limit=1000');
    return results.find((one) => one.name === name);
  }

  return {
    members,
    /** Every place that was ever used. */
    labels,
    /** `refused`: how often a place was not given because something still used it. */
    counts,
    alive: () => members.filter(({ deleted }) => !deleted),
    newPlace,
    /** @returns undefined when the API refuses it, as it does while something still uses the place */
    async create(place: Place, live: boolean, layout: Layout, model: Model = 'events'): Promise<Member | undefined> {
      const event = `e${members.length}`;
      const isFirstUse = !given.has(place);
      given.add(place);
      const { status, body } = await api.askUntilAnswered('POST', '/batch_exports/', {
        name: event,
        model,
        interval: live ? 'every 1 minutes' : 'hour',
        ...(!live && { paused: true }),
        notifications: { webhook: { url: installation.webhooks.url, secret: WEBHOOK_SECRET } },
        destination: {
          type: place.type,
          config: configOf(place, { event, model, layout }),
        },
      });
      const made = status === 201 ? (body as Made) : await madeBefore(event);
      if (!made) {
        counts.refused += 1;
        if (isFirstUse || (status !== 400 && status !== 409))
          throw new Error(`making an export answered ${status} ${JSON.stringify(body)}`);
        return undefined;
      }
      const { id, created_at: createdAt } = made;
      const member: Member = {
        id,
        model,
        event,
        place,
        layout,
        wasStable: layout === 'stable',
        live,
        createdAt: new Date(createdAt),
        deleted: false,
      };
      members.push(member);
      return member;
    },
    /** From one layout to the other. @returns whether the API took it */
    async changeLayout(member: Member): Promise<boolean> {
      const layout = member.layout === 'stable' ? 'versioned' : 'stable';
      // From before the request on: it may be taken and have no answer.
      member.wasStable = true;
      member.layout = layout;
      return this.reconfigure(member, member.place);
    },
    /** Changes everything of the destination that may change. @returns whether the API took it */
    async reconfigure(member: Member, place: Place): Promise<boolean> {
      const { status } = await api.askUntilAnswered('PATCH', `/batch_exports/${member.id}/`, {
        destination: {
          type: place.type,
          config: configOf(place, member),
        },
      });
      if (status !== 200) {
        counts.refused += 1;
        return false;
      }
      given.add(place);
      member.place = place;
      return true;
    },
  };
}

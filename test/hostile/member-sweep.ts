/** Every field of every operation of the application in turn, with values that are made to be slow; the rest of the body as it should be. */
import { apiRoutes } from '../../src/app/api.ts';
import { pathsOf } from '../../src/platform/http/paths.ts';
import type { DescribedRoute } from '../../src/platform/http/route.ts';
import { nameOf, OPERATIONS, placeOf } from '../authorization/operations/operations.ts';
import { buildWorkplace, type Asked, type Workplace } from '../authorization/operations/workplace.ts';
import { heavyShapesOf, wideShapesOf } from './shapes.ts';
import type { HostileRequest, HostileWorld } from './world.ts';

/** As many bytes and values as the application takes, less what is around them. */
const ROOM = 1_000_000;
const WIDE = 49_900;
/** Of the worst of each kind. */
const SWEPT =
  /digits and a letter|list of objects unlike|names beyond|members of capitals|members with texts|\d texts|\d objects unlike/;

export async function sweptRequests(world: HostileWorld): Promise<HostileRequest[]> {
  const at = await buildWorkplace(world.db, world.url);
  const session = await at.session();
  const requests: HostileRequest[] = [];
  for (const route of apiRoutes) {
    const validRequest = route.body ? await askedOf(route, at) : undefined;
    if (!validRequest) continue;
    const byKey = !('sessionOnly' in route.access);
    requests.push(
      ...sweptFields(route, {
        asked: validRequest,
        at,
        headers: byKey ? { Authorization: `Bearer ${at.key}` } : session,
      }),
    );
  }
  return requests;
}

async function askedOf(route: DescribedRoute, at: Workplace): Promise<Asked | undefined> {
  const operation = OPERATIONS[placeOf(route)][nameOf(route)];
  // Without Temporal some cannot be prepared.
  return operation ? Promise.resolve(operation(at)).catch(() => undefined) : { body: {}, tells: [] };
}

function sweptFields(
  route: DescribedRoute,
  { asked, at, headers }: { asked: Asked; at: Workplace; headers: Record<string, string> },
): HostileRequest[] {
  const path = pathOf(route, asked, at);
  const request = (what: string, body: () => string): HostileRequest => ({
    what: `${nameOf(route)} ${what}`,
    method: route.method.toUpperCase(),
    path,
    body,
    headers: { ...headers, 'Content-Type': 'application/json' },
  });
  const shapes = [...heavyShapesOf(ROOM), ...wideShapesOf(ROOM, WIDE)].filter(({ what }) => SWEPT.test(what));
  const valid = (asked.body ?? {}) as Readonly<Record<string, unknown>>;
  const fields = Object.keys((route.body as { properties?: object }).properties ?? {});
  return shapes.flatMap(({ what, json }) => [
    request(`the body, ${what}`, json),
    ...fields.map((field) => request(`${field}, ${what}`, () => withMember(valid, field, json()))),
  ]);
}

function withMember(valid: Readonly<Record<string, unknown>>, field: string, json: string): string {
  const { [field]: _, ...rest } = valid;
  const others = JSON.stringify(rest).slice(1, -1);
  return `{${others}${others === '' ? '' : ','}${JSON.stringify(field)}:${json}}`;
}

function pathOf(route: DescribedRoute, { params = {}, query = '' }: Asked, { ours }: Workplace): string {
  const known: Readonly<Record<string, string>> = {
    project_id: String(ours.projectId),
    organization_id: ours.organizationId,
    ...params,
  };
  return pathsOf(route)[0]!.replaceAll(/:(\w+)/g, (_, name: string) => known[name] ?? '1') + query;
}

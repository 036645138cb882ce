/** Dashboards on the wire. */
import { LEVELS } from '../../platform/http/access.ts';
import { UserBody } from '../../people/accounts/users.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { CREATION_MODES } from './dashboards.store.ts';
import { SEARCH_MATCHES } from './list.store.ts';
import { EVERYONE_EDITS, ONLY_COLLABORATORS_EDIT, type RestrictionLevel } from './restriction-level.ts';
import { TEMPLATE_NAMES } from './templates/built-in.ts';
import { TilesToDuplicateBody, GivenTilesBody, TileBody } from './tiles/schema.ts';

const MAX_ID = 2 ** 31 - 1;

const Id = Type.Integer({ minimum: 1, maximum: MAX_ID });
const Instant = Type.String({ format: 'date-time' });
const Json = Type.Record(Type.String(), Type.Unknown());

export const DashboardParams = Type.Object({ id: Id });

const RESTRICTION =
  'The edit restriction. 21: everyone who may edit dashboards; 37: of these, only its creator, its collaborators and admins.';

/** Has no `type`, so a value that is not a number fails as an invalid choice. */
export const RestrictionLevelChoice = Type.Unsafe<RestrictionLevel>({
  enum: [EVERYONE_EDITS, ONLY_COLLABORATORS_EDIT],
  description: RESTRICTION,
});

const given = {
  name: Type.Optional(nullable(Type.String({ maxLength: 400 }))),
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  pinned: Type.Optional(Type.Boolean()),
  last_accessed_at: Type.Optional(nullable(Instant)),
  deleted: Type.Optional(
    Type.Boolean({ description: 'Whether the dashboard is deleted; `false` restores a deleted dashboard.' }),
  ),
  tags: Type.Optional(
    nullable(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 }), {
      description: 'The tags of the dashboard; null to keep the current ones.',
    }),
  ),
  filters: Type.Optional(
    Type.Unknown({
      description: 'An object of filters that override those of the insights on the dashboard; `{}` removes them.',
    }),
  ),
  variables: Type.Optional(Type.Unknown({ description: 'An object of variables; `{}` removes them.' })),
  breakdown_colors: Type.Optional(nullable(Type.Array(Type.Unknown(), { maxItems: 1000 }))),
  data_color_theme_id: Type.Optional(nullable(Type.Integer({ minimum: -MAX_ID, maximum: MAX_ID }))),
  quick_filter_ids: Type.Optional(
    nullable(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 }), {
      description: 'The IDs of quick filters. They are not supported, so the list must be empty.',
    }),
  ),
  restriction_level: Type.Optional(RestrictionLevelChoice),
  delete_insights: Type.Optional(
    Type.Boolean({ description: 'With `deleted`: also delete insights that are on no other dashboard.' }),
  ),
};

export const NewDashboardBody = Type.Object(
  {
    ...given,
    use_template: Type.Optional(
      nullable(Type.String({ maxLength: 400 }), {
        description: `The name of a built-in template: ${TEMPLATE_NAMES.map((name) => `\`${name}\``).join(' or ')}.`,
      }),
    ),
    use_dashboard: Type.Optional(
      nullable(Id, { description: 'The ID of the dashboard to copy filters, variables, colors and tiles from.' }),
    ),
    duplicate_tiles: Type.Optional(
      Type.Boolean({ description: 'With `use_dashboard`: copy insights and texts instead of sharing them.' }),
    ),
    tiles: Type.Optional(GivenTilesBody),
  },
  { title: 'NewDashboard' },
);
export type NewDashboardBody = Static<typeof NewDashboardBody>;

export const DashboardPatchBody = Type.Object(
  {
    ...given,
    tiles: Type.Optional(GivenTilesBody),
    duplicate_tiles: Type.Optional(TilesToDuplicateBody),
  },
  { title: 'DashboardPatch', description: 'Omitted fields keep their values.' },
);
export type DashboardPatchBody = Static<typeof DashboardPatchBody>;

const ShownRestrictionLevel = Type.Integer({ description: RESTRICTION });

const listed = {
  id: Type.Integer(),
  name: nullable(Type.String()),
  description: Type.String(),
  pinned: Type.Boolean(),
  created_at: Instant,
  created_by: nullable(UserBody),
  is_shared: Type.Boolean({ description: 'Whether the dashboard has a public link that is enabled.' }),
  deleted: Type.Boolean(),
  creation_mode: stringEnum(CREATION_MODES),
  tags: Type.Array(Type.String()),
  restriction_level: ShownRestrictionLevel,
  effective_restriction_level: ShownRestrictionLevel,
  effective_privilege_level: Type.Integer({ description: 'The access level of the user: 21 to view, 37 to edit.' }),
  user_access_level: nullable(stringEnum(LEVELS), {
    description: 'The access level of the user; null when viewed through a shared link.',
  }),
  access_control_version: stringEnum(['v1', 'v2'] as const, {
    description: '`v1` if the dashboard is restricted to collaborators.',
  }),
};

export const ListedDashboardBody = Type.Object(
  { ...listed, search_match_type: Type.Optional(stringEnum(SEARCH_MATCHES)) },
  { title: 'ListedDashboard' },
);
export type ListedDashboardBody = Static<typeof ListedDashboardBody>;

export const DashboardBody = Type.Object(
  {
    ...listed,
    last_accessed_at: nullable(Instant),
    last_viewed_at: Type.Null(),
    last_refresh: nullable(Instant),
    team_id: Type.Integer({ description: 'The ID of the project.' }),
    use_template: Type.String({
      description: 'The name of the template that the dashboard was created from; empty if there is none.',
    }),
    use_dashboard: nullable(
      Type.Integer({ description: 'The ID of the dashboard that this one was copied from; null if there is none.' }),
    ),
    delete_insights: Type.Boolean({
      description: 'Always false; the field only has an effect in requests that delete a dashboard.',
    }),
    filters: Json,
    variables: Json,
    breakdown_colors: Type.Array(Type.Unknown()),
    data_color_theme_id: nullable(Type.Integer()),
    persisted_filters: nullable(Json, {
      description: 'The saved filters, without overrides in this request; null if there are none.',
    }),
    persisted_variables: nullable(Json),
    quick_filter_ids: Type.Array(Type.String()),
    tiles: Type.Array(TileBody),
  },
  { title: 'Dashboard' },
);
export type DashboardBody = Static<typeof DashboardBody>;

import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { matchRoute, Redirect, Route, Switch, useLocation, useRouter } from 'wouter';
import { EmptyState, Loading, Page } from '../components';
import { setProblemSeconds } from '../components/toast';
import { features } from '../features';
import { follow, onResync, useConnection } from '../live';
import { followNews } from '../news';
import { useMedia, usePreference } from '../preferences';
import { isShown, useLiveSettings, useSetting, useSettings } from '../settings';
import { useShortcuts } from '../shortcuts';
import { ErrorBoundary } from './ErrorBoundary';
import { Nav } from './Nav';
import { ShortcutsDialog } from './ShortcutsDialog';
import { Toolbar } from './Toolbar';

const Palette = lazy(() => import('./Palette'));
const Welcome = lazy(() => import('./Welcome'));
const ComponentsPage = lazy(() => import('../dev/ComponentsPage'));

const routes = features.flatMap((feature) => feature.routes);
const goKeys = features.flatMap((feature) => feature.shortcuts ?? []);
const home = features.flatMap((feature) => feature.nav ?? []).sort((a, b) => a.order - b.order)[0]?.path;
const listeners = features.flatMap((feature) => feature.listener ?? []);
const newness = features.flatMap((feature) => feature.firstSteps?.useIsNew ?? []);

/** The page, shown once the event stream is open, so that events update everything that is loaded. */
export function Shell() {
  useFollowEvents();
  return useConnection() === 'connecting' ? <Loading label="Connecting" /> : <Frame />;
}

/** Sidebar, toolbar, and the current page. */
function Frame() {
  const [location, navigate] = useLocation();
  const [overlay, setOverlay] = useState<'palette' | 'shortcuts' | null>(null);
  const [folded, setFolded] = usePreference('nav-collapsed');
  const isNarrow = useMedia('(max-width: 720px)');
  const collapsed = isNarrow || folded !== null;
  const toggleNav = () => setFolded(folded === null ? '1' : null);
  useLiveSettings();
  const { data: settings } = useSettings();

  const seconds = useSetting('toastDisplayDurationSeconds');
  useEffect(() => {
    if (seconds !== undefined) setProblemSeconds(seconds);
  }, [seconds]);

  useShortcuts('Everywhere', [
    { keys: 'Mod+k', label: 'Search and commands', run: () => setOverlay('palette') },
    { keys: '?', label: 'Keyboard shortcuts', run: () => setOverlay('shortcuts') },
    { keys: '[', label: 'Show or hide the sidebar', run: toggleNav },
    ...goKeys.map((go) => ({ keys: go.keys, label: go.label, run: () => navigate(go.path) })),
  ]);

  const { parser } = useRouter();
  const isBare = routes.some((route) => route.isBare && matchRoute(parser, route.path, location)[0]);
  return (
    <div className="shell" data-collapsed={collapsed ? '' : undefined} data-bare={isBare ? '' : undefined}>
      {!isBare && (
        <>
          <a className="skip" href="#main">
            Skip to content
          </a>
          <Nav collapsed={collapsed} />
        </>
      )}
      <div className="shell-main">
        {!isBare && (
          <Toolbar
            collapsed={collapsed}
            onToggleNav={toggleNav}
            onPalette={() => setOverlay('palette')}
            onShortcuts={() => setOverlay('shortcuts')}
          />
        )}
        <main id="main" className="content" tabIndex={-1}>
          <ErrorBoundary resetOn={location}>
            <Suspense fallback={<Loading />}>
              <Switch>
                {routes
                  .filter((route) => isShown(route, settings))
                  .map((route) => (
                    <Route key={route.path} path={route.path} component={route.component} />
                  ))}
                {import.meta.env.MODE !== 'test' && <Route path="/dev/components" component={ComponentsPage} />}
                <Route path="/welcome" component={Welcome} />
                {home && (
                  <Route path="/">
                    <Home to={home} />
                  </Route>
                )}
                <Route>
                  <NotFound />
                </Route>
              </Switch>
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      {!isBare && listeners.map((Listener, at) => <Listener key={at} />)}
      <Suspense fallback={null}>{overlay === 'palette' && <Palette onClose={() => setOverlay(null)} />}</Suspense>
      <ShortcutsDialog isOpen={overlay === 'shortcuts'} onClose={() => setOverlay(null)} />
    </div>
  );
}

/** The start page: the first steps while the account has no data, otherwise the first page of the sidebar. */
function Home({ to }: { to: string }) {
  // The list of features is fixed when the page is built, so these hooks run in the same order every time.
  // eslint-disable-next-line react-hooks/rules-of-hooks
  const all = newness.map((useIsNew) => useIsNew());
  if (all.includes(false) || all.length === 0) return <Redirect to={to} replace />;
  return all.includes(undefined) ? <Loading /> : <Redirect to="/welcome" replace />;
}

/** One event stream while signed in. After missed events, all data is reloaded. */
function useFollowEvents() {
  const client = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    const stops = [onResync(() => void client.invalidateQueries()), followNews(client, features)];
    void follow(stop.signal);
    return () => {
      stop.abort();
      stops.forEach((end) => end());
    };
  }, [client]);
}

function NotFound() {
  return (
    <Page title="Page not found">
      <EmptyState icon="search" title="Check the address">
        Choose a page in the sidebar, or press Ctrl+K to search.
      </EmptyState>
    </Page>
  );
}

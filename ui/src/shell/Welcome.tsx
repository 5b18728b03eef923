/** The first screen: the features' first steps for new users. Each part can be skipped. */
import { Suspense } from 'react';
import { Link } from 'wouter';
import { Loading, Page } from '../components';
import { features } from '../features';
import './welcome.css';

const steps = features.flatMap((feature) => feature.firstSteps ?? []).sort((a, b) => a.order - b.order);

export default function Welcome() {
  return (
    <Page title="Welcome to Pilothouse" width="text" actions={<Link href="/inbox">Skip setup</Link>}>
      <div className="welcome">
        <p className="welcome-text">Start with an agent or a board. The sidebar has both.</p>
        <Suspense fallback={<Loading />}>
          {steps.map(({ component: Step, order }) => (
            <Step key={order} />
          ))}
        </Suspense>
      </div>
    </Page>
  );
}
